import { byId, cell, fromTemplate, list, mark, show, write } from "./dom.js";

/** @import { CallRow, CallTable } from "../view" */

/**
 * Shows the latest calls to the API with their answers.
 *
 * @param {CallTable} table
 */
export function showCalls({ rows, total }) {
  list(byId("call-rows"), rows, {
    key: ({ id }) => id,
    make: () => fromTemplate("call-row"),
    update: updateRow,
  });
  const latest = rows.length < total ? `the latest ${rows.length} of ${total.toLocaleString("en")}` : String(total);
  write(byId("call-count"), total === 0 ? "None so far" : latest);
  show(byId("calls"), rows.length > 0);
}

/**
 * @param {HTMLElement} row
 * @param {CallRow} call
 */
function updateRow(row, call) {
  write(cell(row, "method"), call.method);
  write(cell(row, "path"), call.path);
  write(cell(row, "note"), call.note);
  write(cell(row, "status"), call.status);
  mark(cell(row, "status"), "data-mood", call.mood);
  write(cell(row, "duration"), call.duration);
  write(cell(row, "time"), call.time);
  mark(cell(row, "time"), "datetime", `${call.time.replace(" ", "T")}Z`);
}
