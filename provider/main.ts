import { serve } from "./pulumi/plugin/server";

void serve(process.argv.slice(2), process.env);
