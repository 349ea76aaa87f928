import { at, type Case, inFleet, own, to } from "./support/cases";
import { itEnds } from "./support/found";

// Programs that chance has found once, whose up is killed.

const killed: Record<string, Partial<Case>> = {
  "a create is killed right after the platform has made the endpoint, whose name the next run finds": {
    slots: [{ after: to(0, "read_write") }],
    death: { call: 3, moment: "after" },
  },
  "a create is killed, and the program goes back to having none": {
    slots: [{ before: own(1, "read_write"), after: "same" }, { after: to(0, "read_write") }],
    death: { call: 3, moment: "after" },
    isReverted: true,
  },
  "a replacement is killed half-way, and the program goes back: what it has made on another branch stays": {
    slots: [{ before: own(0, "read_only"), after: to(1) }],
    death: { call: 3, moment: "after" },
    isReverted: true,
  },
  "a fleet is killed after it has made a replica anew on another branch, which the next run names": {
    platform: "lenient",
    slots: [
      { before: own(1, "read_only"), after: to(0), home: { ...inFleet(1), retain: "before" } },
      { before: at(0, "read_write", "stranger"), after: { ...to("here"), adopts: true }, home: inFleet(0) },
    ],
    death: { call: 5, moment: "before" },
    choices: { preview: [0], up: [0, 0, 0, 163, 51, 711], delays: [] },
  },
  "a move is killed before it is sent, and the program goes back to the old branch": {
    slots: [{ before: own(0, "read_write"), after: to(1) }],
    death: { call: 2, moment: "before" },
    isReverted: true,
  },
  "a delete is killed right after it was sent, and the program goes back to having the endpoint": {
    slots: [
      { before: own(0, "read_only") },
      { before: own(1, "read_write"), after: { ...to("here"), preloads: "one" } },
    ],
    death: { call: 6, moment: "after" },
    isReverted: true,
  },
};

itEnds("killed", killed);
