import { Config, ResourceHook } from "@pulumi/pulumi";
import { Endpoint } from "pulumi-pgcompute";

const config = new Config();
/** Where the app's pool listens for `pause` and `resume`. */
const pool = config.require("poolAddress");

// What throws here fails the update before anything is sent: a pool that did not pause would drop its queries.
const pause = new ResourceHook("pause", () => tell("pause"));
const resume = new ResourceHook("resume", () => tell("resume"));

const endpoint = new Endpoint(
  "app",
  {
    projectId: config.require("projectId"),
    branchId: config.require("branchId"),
    sizeCu: config.getNumber("sizeCu") ?? 0.25,
    // A new text restarts it.
    restartTrigger: config.get("restartTrigger"),
  },
  { hooks: { beforeUpdate: [pause], afterUpdate: [resume] } },
);

export const host = endpoint.host;

async function tell(what: "pause" | "resume"): Promise<void> {
  const answer = await fetch(`${pool}/${what}`, { method: "POST" });
  if (!answer.ok) throw new Error(`the pool did not ${what}: ${answer.status} ${await answer.text()}`);
}
