import { expect, test } from "vitest";
import { decideTakeUp, type TakeUpRequest } from "../../../provider/plan/adopt";
import { endpointRecord } from "../../support/samples";

const made = ["ep-new", "ep-old"].map((id) => endpointRecord({ id }));

test.each<[string, Partial<TakeUpRequest>, string]>([
  ["nobody says so", {}, "left ep-new, ep-old"],
  ["somebody says so: the newest", { isSaid: true }, "takes ep-new"],
  ["this run has been shown one as the owner's", { metId: "ep-old" }, "takes ep-old"],
  ["it has been shown another one", { metId: "ep-gone" }, "left ep-new, ep-old"],
  ["a create of this run has made one", { isOfThisRun: ({ id }) => id === "ep-old" }, "takes ep-old"],
  ["what it was shown goes before what somebody says", { metId: "ep-old", isSaid: true }, "takes ep-old"],
  ["there is none", { made: [], isSaid: true, metId: "ep-old" }, "left "],
])("what was made for an owner, where %s", (_, request, expected) => {
  const { takes, left } = decideTakeUp({ made, isSaid: false, ...request });
  expect(takes ? `takes ${takes.id}` : `left ${left.map(({ id }) => id).join(", ")}`).toBe(expected);
});
