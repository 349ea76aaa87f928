import { expect, it } from "vitest";
import { citationsIn } from "../../../tools/generate/traceability";

const known = ["1", "2", "2.4", "4.2", "4.3", "4.4", "4.5", "8"];

it.each([
  ["one", "/** The table (specification, section 2.4). */", ["2.4"]],
  ["several", "// Sections 1, 4.3, 4.4 and 8.", ["1", "4.3", "4.4", "8"]],
  ["a range", "/** The calls of sections 4.3 to 4.5. */", ["4.3", "4.3", "4.4", "4.5", "4.5"]],
  ["one with a rule of it", "(section 1, rule 2)", ["1"]],
  ["one after another", "(section 1, section 2.4)", ["1", "2.4"]],
  ["over two lines", "/**\n * As the specification has it, section\n * 4.2. */", ["4.2"]],
  ["of a model", 'section: "2.4, 8"', ["2.4", "8"]],
  ["none", "const section = 12; // three sections", []],
])("finds citations: %s", (_, text, sections) => {
  expect(citationsIn(text, known)).toEqual(sections);
});
