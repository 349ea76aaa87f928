/** The page around a report: a template that escapes, and its style. */

type Part = string | number | Markup | readonly Markup[];

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** HTML that is safe in a page. */
export class Markup {
  constructor(readonly text: string) {}
}

/** A template for HTML: all that is not Markup is escaped, for text and for quoted attributes. */
export function html(pieces: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(pieces.map((piece, index) => piece + render(parts[index] ?? "")).join(""));
}

function render(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(render).join("\n");
  return String(part).replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

/** The report's style: light and dark, and nothing that has to be fetched. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #d5dae1; --text: #1b2430; --soft: #556170; --link: #1f5fbf;
  --bad: #a3231a; --bad-back: #fdecea; --good: #17613b; --good-back: #e8f5ee; --note-back: #fff6dc; --note: #6b4e00;
  --track: #e9edf2; --tick: #c3cbd6; --before: #5d6b7c; --after: #1f5fbf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11161d; --card: #1a212b; --line: #344051; --text: #e6ebf2; --soft: #a5b1c0; --link: #8fbcff;
    --bad: #ffb1a8; --bad-back: #431e1c; --good: #9be0b9; --good-back: #15321f; --note-back: #3a300f; --note: #f4d98a;
    --track: #2a3442; --tick: #465468; --before: #9aa8b9; --after: #7fb2ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.35rem; line-height: 1.35; margin: 0 0 .4rem; text-wrap: pretty; }
h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .25rem 0; }
a { color: var(--link); }
.soft { color: var(--soft); }
footer { margin-top: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin-top: 1rem; }
article.card { border-left-width: .3rem; }
article.bad { border-left-color: var(--bad); }
article.open { border-left-color: var(--note); }
article.fine { border-left-color: var(--good); }
article:target { outline: 2px solid var(--link); outline-offset: 2px; }
.many article { content-visibility: auto; contain-intrinsic-size: auto 26rem; }
.overview { padding: .35rem 1rem; }
.overview ol { list-style: none; margin: 0; padding: 0; }
.overview li { display: grid; grid-template-columns: minmax(8rem, 2fr) 9rem 5fr; gap: 0 1rem; padding: .35rem 0; }
.overview li + li { border-top: 1px solid var(--line); }
.overview .bad { color: var(--bad); font-weight: 600; }
.overview .open { color: var(--note); }
.overview .fine { color: var(--soft); }
.overview .bad::before { content: "\\25b2\\a0"; }
.overview .open::before { content: "\\25cb\\a0"; }
.title { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
.action { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; font-size: .875rem; }
code { font: .875em/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.answers { display: grid; grid-template-columns: repeat(4, 1fr); gap: .5rem; margin: .75rem 0; padding: 0; }
.answers div { border-radius: .4rem; padding: .35rem .6rem; background: var(--good-back); color: var(--good); }
.answers div.open { background: var(--note-back); color: var(--note); }
.answers div.bad { background: var(--bad-back); color: var(--bad); }
.answers dt { font-size: .8rem; }
.answers dd { margin: 0; font-weight: 600; }
.answers .bad dd::before { content: "\\25b2\\a0"; }
.answers .open dd::before { content: "\\25cb\\a0"; }
.facts { margin: .75rem 0; }
.facts div { display: grid; grid-template-columns: 5.5rem 1fr; gap: .6rem; margin: .2rem 0; }
.facts dt { color: var(--soft); font-size: .875rem; }
.facts dd { margin: 0; }
.hours { margin: .75rem 0; max-width: 34rem; }
.day { display: grid; grid-template-columns: repeat(24, 1fr); gap: 2px; align-items: end; height: 2.2rem; border-bottom: 1px solid var(--tick); }
.day span { background: var(--after); border-top: 2px solid var(--after); border-radius: .15rem .15rem 0 0; }
.day span[style="height:0%"] { border: 0; }
.times { display: flex; justify-content: space-between; font-size: .75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.bars { margin: .75rem 0; }
.row { display: grid; grid-template-columns: 3.5rem 1fr 7.5rem; gap: .6rem; align-items: center; margin: .3rem 0; }
.side, .size { font-size: .875rem; }
.side { color: var(--soft); }
.track { position: relative; height: 1.1rem; border-radius: .25rem; }
.row .track.empty { background: none; border: 1px dashed var(--tick); }
.bar { position: absolute; top: 0; bottom: 0; border-radius: .25rem; border: 2px solid; min-width: .5rem; }
.bar.before { border-color: var(--before); background: repeating-linear-gradient(135deg, var(--before) 0 2px, var(--card) 2px 7px); }
.bar.after { border-color: var(--after); background: var(--after); }
.axis { margin-top: 0; }
.ticks { position: relative; height: 1.2rem; font-size: .75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.ticks span { position: absolute; transform: translateX(-50%); }
.ticks span.first { transform: none; }
.ticks span.last { transform: translateX(-100%); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .5rem 1rem; margin: .75rem 0; }
.figures dt { font-size: .8rem; color: var(--soft); }
.figures dd { margin: 0; font-variant-numeric: tabular-nums; }
.figures .falls dd { color: var(--bad); font-weight: 600; }
.figures .falls dd::before { content: "\\25bc\\a0"; }
table { width: 100%; border-collapse: collapse; margin-top: .75rem; font-size: .9rem; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem .3rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 500; }
summary { color: var(--soft); cursor: pointer; }
ul { margin: .5rem 0 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
.alarm { background: var(--bad-back); color: var(--bad); }
.passed { background: var(--good-back); color: var(--good); }
.undecided { background: var(--note-back); color: var(--note); }
@media (max-width: 40rem) {
  h1 { font-size: 1.15rem; }
  .answers { grid-template-columns: repeat(2, 1fr); }
  .figures { grid-template-columns: repeat(2, 1fr); }
  .row { grid-template-columns: 3.5rem 1fr; gap: .1rem .6rem; }
  .row .size { grid-column: 2; }
  .overview li { grid-template-columns: 1fr auto; }
  .overview li span:last-child { grid-column: 1 / -1; }
}
@media print { body { background: none; } .card { break-inside: avoid; } }
`;
