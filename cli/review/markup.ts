/** HTML that is safe to put into a page: `html` makes it, or whoever knows the text to be so. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | readonly Markup[];

/** A template for HTML: whatever is not Markup already is escaped, for text and for quoted attributes. */
export function html(pieces: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(
    pieces.map((piece, index) => piece + (index < parts.length ? render(parts[index] ?? "") : "")).join(""),
  );
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(render).join("\n");
  return String(part).replace(/[&<>"']/g, (mark) => escapes[mark] ?? mark);
}
