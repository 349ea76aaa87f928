import { readFileSync } from "node:fs";
import { getStack } from "@pulumi/pulumi";
import { Endpoint } from "pulumi-pgcompute";
import { partOf } from "./parts.mjs";

/** The program of every stack: those endpoints of `fleet.json` that belong to it. */
export default async function program() {
  const fleet = JSON.parse(readFileSync("fleet.json", "utf8"));
  for (const [name, args] of Object.entries(partOf(fleet, getStack()))) new Endpoint(name, args);
}
