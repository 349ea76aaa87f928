import { byId, cell, fromTemplate, list, mark, show, write } from "./dom.js";

/** @import { OperationRow, OperationTable } from "../operation-table" */

/**
 * Shows the table of operations.
 *
 * @param {OperationTable} table
 */
export function showOperations({ rows, open, latest, older }) {
  list(byId("operation-rows"), rows, {
    key: ({ id }) => id,
    make: () => fromTemplate("operation-row"),
    update: updateRow,
  });
  write(byId("open-operations"), open > 0 ? `${open.toLocaleString("en")} under way` : "None under way");
  show(byId("operations"), rows.length > 0);
  show(byId("operation-pages"), !latest || older !== undefined);
  mark(byId("latest"), "aria-disabled", String(latest));
  mark(byId("older"), "aria-disabled", String(older === undefined));
  byId("older").dataset.before = String(older ?? "");
}

/**
 * @param {HTMLElement} row
 * @param {OperationRow} operation
 */
function updateRow(row, operation) {
  write(cell(row, "action"), operation.action);
  write(cell(row, "branch"), operation.branch);
  write(cell(row, "endpoint"), operation.endpoint);
  write(cell(row, "status"), operation.status);
  mark(cell(row, "status"), "data-mood", operation.mood);
  write(cell(row, "note"), operation.note);
  write(cell(row, "duration"), operation.duration);
  write(cell(row, "time"), operation.time);
  mark(cell(row, "time"), "datetime", `${operation.time.replace(" ", "T")}Z`);
}
