import { byId, cell, fromTemplate, list, mark, show, write, writeTags } from "./dom.js";

/** @import { EndpointCells, EndpointRow, EndpointTable } from "../endpoint-table" */
/** @import { Filter } from "../view-query" */

/** @type {readonly { filter: Filter | "all", label: string }[]} */
const filters = [
  { filter: "all", label: "All" },
  { filter: "active", label: "Active" },
  { filter: "idle", label: "Idle" },
  { filter: "stopped", label: "Stopped" },
  { filter: "init", label: "Init" },
  { filter: "changing", label: "Changing" },
];

/**
 * Shows the table of branches and endpoints.
 *
 * @param {EndpointTable} table
 * @param {string} chosen the filter in force
 */
export function showEndpoints(table, chosen) {
  list(byId("filters"), filters, {
    key: ({ filter }) => filter,
    make: makeFilter,
    update: (button, { filter }) => {
      mark(button, "aria-pressed", String(filter === chosen));
      write(cell(button, "count"), table.counts[filter].toLocaleString("en"));
    },
  });
  list(byId("endpoint-rows"), table.rows, {
    key: ({ branch, endpoint }) => endpoint?.id ?? branch.id,
    make: ({ endpoint }) => fromTemplate(endpoint ? "endpoint-row" : "branch-row"),
    update: updateRow,
  });
  show(byId("endpoints"), table.rows.length > 0);
  show(byId("nothing-found"), table.rows.length === 0);
  show(byId("pages"), table.pages > 1);
  write(byId("page-text"), `Page ${table.page} of ${table.pages}, ${table.found.toLocaleString("en")} rows`);
  showStep("page-back", table.page - 1, table.page > 1);
  showStep("page-on", table.page + 1, table.page < table.pages);
}

/**
 * @param {string} id
 * @param {number} page
 * @param {boolean} possible
 */
function showStep(id, page, possible) {
  const button = byId(id);
  button.dataset.page = String(page);
  mark(button, "aria-disabled", String(!possible));
}

/** @param {{ filter: string, label: string }} item */
function makeFilter({ filter, label }) {
  const button = document.createElement("button");
  const count = document.createElement("b");
  button.type = "button";
  button.dataset.filter = filter;
  count.dataset.cell = "count";
  button.append(`${label} `, count);
  return button;
}

/**
 * @param {HTMLElement} row
 * @param {EndpointRow} item
 */
function updateRow(row, { branch, endpoint }) {
  write(cell(row, "branch-name"), branch.name);
  write(cell(row, "branch-id"), branch.id);
  writeTags(cell(row, "branch-tags"), branch.tags);
  if (endpoint) updateEndpoint(row, endpoint);
}

/**
 * @param {HTMLElement} row
 * @param {EndpointCells} endpoint
 */
function updateEndpoint(row, endpoint) {
  const { state } = endpoint;
  write(cell(row, "id"), endpoint.id);
  write(cell(row, "kind"), endpoint.type);
  write(cell(row, "name"), endpoint.name);
  writeTags(cell(row, "tags"), endpoint.tags);
  const badge = cell(row, "state");
  const news = badge.textContent !== "" && badge.textContent !== state.text;
  write(badge, state.text);
  mark(badge, "data-state", state.kind);
  write(cell(row, "pending"), state.pending);
  write(cell(row, "size"), endpoint.size);
  write(cell(row, "suspend"), `autosuspend ${endpoint.suspend}`);
  write(cell(row, "connections"), endpoint.connections);
  write(cell(row, "waiting"), endpoint.waiting);
  write(cell(row, "dropped"), endpoint.dropped);
  const dot = endpoint.host.indexOf(".");
  write(cell(row, "host-id"), endpoint.host.slice(0, dot));
  write(cell(row, "host-rest"), endpoint.host.slice(dot));
  list(cell(row, "sessions"), endpoint.server?.sessions ?? [], {
    key: (session) => session,
    make: () => document.createElement("li"),
    update: write,
  });
  if (news) flash(row);
  for (const button of row.querySelectorAll("button")) updateButton(button, endpoint);
}

/**
 * A button that makes no sense now stays where it is, and keeps the keyboard's focus; it only does nothing.
 *
 * @param {HTMLButtonElement} button
 * @param {EndpointCells} endpoint
 */
function updateButton(button, { id, actions, server }) {
  const { action } = button.dataset;
  const possible = action === "copy" || actions.some((one) => one === action);
  // To a Postgres server, clients connect by themselves: what they need is where to.
  if (action === "copy") button.dataset.text = server?.connectionString;
  if (action === "copy" || action === "connect") show(button, (action === "copy") === (server !== undefined));
  button.dataset.endpoint = id;
  mark(button, "aria-disabled", String(!possible));
  mark(button, "aria-label", `${button.textContent} ${id}`);
}

/** @param {HTMLElement} row */
function flash(row) {
  row.classList.remove("news");
  // Read so that the browser notices the class going, and the colour starts anew.
  void row.offsetWidth;
  row.classList.add("news");
}
