/**
 * The element of that id.
 *
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [kind]
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (!element || (kind && !(element instanceof kind))) throw new Error(`the page has no ${id}`);
  return /** @type {T} */ (element);
}

/**
 * Writes a text where it differs, so that what a reader has selected, and what is read aloud, stays.
 *
 * @param {Element} element
 * @param {string} [text] without one the element is hidden
 */
export function write(element, text = "") {
  if (element.textContent !== text) element.textContent = text;
  if (element instanceof HTMLElement) show(element, text !== "");
}

/**
 * Shows or hides an element.
 *
 * @param {HTMLElement} element
 * @param {boolean} visible
 */
export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}

/**
 * Sets an attribute where it differs.
 *
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
export function mark(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Makes the children of an element those of a list. A child whose key is still in the list is kept, and with it the
 * keyboard's focus.
 *
 * @template T
 * @param {Element} parent
 * @param {readonly T[]} items
 * @param {{ key: (item: T) => string, make: (item: T) => HTMLElement, update: (element: HTMLElement, item: T) => void }} how
 */
export function list(parent, items, { key, make, update }) {
  /** @type {Map<string, HTMLElement>} */
  const old = new Map();
  for (const child of parent.children) {
    if (child instanceof HTMLElement) old.set(child.dataset.key ?? "", child);
  }
  const wanted = items.map((item) => {
    const name = key(item);
    const element = old.get(name) ?? make(item);
    old.delete(name);
    element.dataset.key = name;
    update(element, item);
    return element;
  });
  // Not what is left in `old`, which has one child only of those with equal keys.
  /** @type {ReadonlySet<Element>} */
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const element of wanted) {
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
  }
}

/**
 * Makes an element of a template with one element in it.
 *
 * @param {string} id the template's
 */
export function fromTemplate(id) {
  const first = byId(id, HTMLTemplateElement).content.firstElementChild?.cloneNode(true);
  if (!(first instanceof HTMLElement)) throw new Error(`the template ${id} is empty`);
  return first;
}

/**
 * The part of a row that a template gives a name.
 *
 * @param {Element} row
 * @param {string} name
 */
export function cell(row, name) {
  const found = row.matches(`[data-cell="${name}"]`) ? row : row.querySelector(`[data-cell="${name}"]`);
  if (!found) throw new Error(`the row has no ${name}`);
  return found;
}

/**
 * Writes words as tags.
 *
 * @param {Element} parent
 * @param {readonly string[]} tags
 */
export function writeTags(parent, tags) {
  list(parent, tags, {
    key: (tag) => tag,
    make: () => document.createElement("span"),
    update: write,
  });
}
