import { answerTo } from "./pulumi/plugin/command-line";
import { serve } from "./pulumi/plugin/server";

const argv = process.argv.slice(2);
const answer = answerTo(argv);
if (answer === undefined) void serve(argv, process.env);
else process.stdout.write(answer);
