import { copyAccess, showAccess } from "./access.js";
import { act, getView, KeyNeeded, useKey } from "./calls.js";
import { byId, list, mark, show, write } from "./dom.js";
import { showEndpoints } from "./endpoints.js";
import { keepLooking } from "./live.js";
import { showCalls } from "./log.js";
import { showOperations } from "./operations.js";

/** @import { ConsoleView } from "../view" */

// What is shown is in the page's address: a reload keeps it, and it can be handed on.
const query = new URLSearchParams(location.search);
const live = keepLooking({ look, lost });
let hideMessage = 0;

/** @param {AbortSignal} signal */
async function look(signal) {
  const view = await getView(query, signal);
  if (!signal.aborted) render(view);
  return view;
}

/** @param {ConsoleView} view */
function render(view) {
  const { now, clock, projects, project } = view;
  setLive("on", "Live");
  write(byId("now"), now);
  write(byId("clock"), clock === "manual" ? "UTC, manual clock" : "UTC");
  show(byId("key-form"), false);
  show(byId("empty"), !project);
  show(byId("project-view"), project !== undefined);
  show(byId("project-choice"), projects.length > 1);
  show(byId("calls-view"), true);
  show(byId("faults-view"), view.faults.length > 0);
  writeList(byId("faults"), view.faults);
  showCalls(view.calls);
  showAccess(view);
  if (!project) return;
  list(byId("project"), projects, {
    key: ({ id }) => id,
    make: ({ id }) => new Option("", id),
    update: (option, { id, name }) => write(option, name === id ? id : `${name} (${id})`),
  });
  byId("project", HTMLSelectElement).value = project.id;
  write(byId("project-name"), project.name);
  write(byId("project-id"), project.id);
  writeList(byId("facts"), project.facts);
  showEndpoints(project.endpoints, query.get("filter") ?? "all");
  showOperations(project.operations);
}

/**
 * @param {Element} parent
 * @param {readonly string[]} texts
 */
function writeList(parent, texts) {
  list(parent, texts, { key: (text) => text, make: () => document.createElement("li"), update: write });
}

/** @param {unknown} error */
function lost(error) {
  if (error instanceof KeyNeeded) {
    setLive("off", "Key needed");
    show(byId("project-view"), false);
    show(byId("calls-view"), false);
    show(byId("key-form"), true);
    if (error.wrong) say(error.message, "bad");
    byId("key").focus();
    return false;
  }
  setLive("off", "No connection, trying again");
  return true;
}

/**
 * Changes what is shown; an empty value is the default.
 *
 * @param {Record<string, string>} changes
 */
function choose(changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  history.replaceState(null, "", query.size > 0 ? `/?${query}` : "/");
  live.now();
}

/**
 * @param {string} endpointId
 * @param {string} action
 */
async function press(endpointId, action) {
  try {
    say(`${endpointId}: ${await act(endpointId, action)}`, "good");
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), "bad");
  }
  live.now();
}

async function copyLines() {
  if (await copyAccess()) say("The lines are copied.", "good");
  else say("The browser does not let the page copy. The lines are selected: copy them by the keyboard.", "bad");
}

/**
 * @param {string} endpointId
 * @param {string} text
 */
async function copy(endpointId, text) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${endpointId}: copied ${text}`, "good");
  } catch {
    // A browser that does not let the page copy lets a person do so.
    say(`${endpointId}: ${text}`, "bad");
  }
}

/**
 * Tells what came of a button. Good news goes by itself; bad news stays.
 *
 * @param {string} text
 * @param {"good" | "bad"} mood
 */
function say(text, mood) {
  clearTimeout(hideMessage);
  write(byId("message-text"), text);
  byId("spoken").textContent = text;
  mark(byId("message"), "data-mood", mood);
  show(byId("message"), true);
  if (mood === "good") hideMessage = window.setTimeout(() => show(byId("message"), false), 6000);
}

/**
 * @param {string} state
 * @param {string} text
 */
function setLive(state, text) {
  mark(byId("live"), "data-live", state);
  write(byId("live"), text);
}

// A button that makes no sense just now says so to everybody, and does nothing.
document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button") : null;
  if (!button || button.getAttribute("aria-disabled") === "true") return;
  const { endpoint, action, filter, page, text } = button.dataset;
  if (endpoint && text) void copy(endpoint, text);
  else if (endpoint && action) void press(endpoint, action);
  else if (filter) choose({ filter: filter === "all" ? "" : filter, page: "" });
  else if (page) choose({ page: page === "1" ? "" : page });
  else if (button.id === "latest") choose({ before: "" });
  else if (button.id === "older") choose({ before: button.dataset.before ?? "" });
  else if (button.id === "copy-access") void copyLines();
  else if (button.id === "message-close") show(byId("message"), false);
});

byId("project").addEventListener("change", () => {
  choose({ project: byId("project", HTMLSelectElement).value, page: "", before: "" });
});

byId("search").addEventListener("input", () => {
  choose({ search: byId("search", HTMLInputElement).value, page: "" });
});
byId("search", HTMLInputElement).value = query.get("search") ?? "";

byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(byId("key", HTMLInputElement).value);
  live.now();
});
