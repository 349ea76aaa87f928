/** @import { ConsoleView } from "../view" */

const KEY = "emulator-key";
const PATIENCE_MS = 10_000;

/** The emulator wants its key, or another one. */
export class KeyNeeded extends Error {
  /** @param {boolean} wrong a key was sent, and is not the one */
  constructor(wrong) {
    super(
      wrong
        ? "This is not the emulator's key or token."
        : "The emulator asks for its key; with Postgres servers, for the token in the address that it printed.",
    );
    this.wrong = wrong;
  }
}

/**
 * Keeps the key for as long as this tab is open.
 *
 * @param {string} key
 */
export function useKey(key) {
  sessionStorage.setItem(KEY, key);
}

/**
 * What the page shows.
 *
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @returns {Promise<ConsoleView>}
 */
export async function getView(query, signal) {
  return call("GET", `/_console/view?${query}`, signal);
}

/**
 * Presses a button of an endpoint; answers what came of it.
 *
 * @param {string} endpointId
 * @param {string} action
 * @returns {Promise<string>}
 */
export async function act(endpointId, action) {
  const { message } = await call("POST", `/_console/endpoints/${encodeURIComponent(endpointId)}/${action}`);
  return String(message);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
async function call(method, path, signal) {
  const key = sessionStorage.getItem(KEY);
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const response = await fetch(path, {
    method,
    headers: { accept: "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    signal: signal ? AbortSignal.any([signal, patience]) : patience,
  });
  if (response.status === 401) throw new KeyNeeded(key !== null);
  const body = await response.json();
  if (!response.ok) throw new Error(body.message || `the emulator answered ${response.status}`);
  return body;
}
