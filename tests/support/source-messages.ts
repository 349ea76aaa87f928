/** The texts that a source has for people: literals put together as they are in the source, with `{NAME}` for what is put in. */
import ts from "typescript";

/** Every text of a source, in its order; what stands inside another one's braces is a text of its own as well. */
export function messagesOf(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node, visit);
    if (text === undefined) ts.forEachChild(node, visit);
    else found.push(text);
  };
  visit(ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest, true));
  return found;
}

function textOf(node: ts.Node, inner: (node: ts.Node) => void): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression, inner);
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => {
      inner(expression);
      return `{${ts.isCallExpression(expression) ? expression.expression.getText() : expression.getText()}}${literal.text}`;
    });
    return `${node.head.text}${spans.join("")}`;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left, inner), textOf(node.right, inner)];
  if (left === undefined && right === undefined) return undefined;
  if (left === undefined) inner(node.left);
  if (right === undefined) inner(node.right);
  return `${left ?? ""}${right ?? ""}`;
}
