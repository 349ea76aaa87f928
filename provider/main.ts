import { serve } from "./plugin/server";

void serve(process.argv.slice(2), process.env);
