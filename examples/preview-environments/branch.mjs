/**
 * `node branch.mjs NAME` finds the platform's branch of this name, or creates it, and prints what a workflow's
 * GITHUB_OUTPUT takes: `branch_id=...`, and `operations=...` to wait for. The key, the address and the project come from
 * PGCOMPUTE_API_KEY, PGCOMPUTE_BASE_URL and PGCOMPUTE_PROJECT_ID. Nothing else of an answer is printed: a line of it could
 * be a command to the runner.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** With these answers the platform has done nothing, so any call may be repeated. */
const repeatable = [423, 429, 503];
const maxRepeats = 5;

const [name] = process.argv.slice(2);
const { PGCOMPUTE_API_KEY: key, PGCOMPUTE_BASE_URL: address = "", PGCOMPUTE_PROJECT_ID: project = "" } = process.env;

try {
  if (!name || !key || !address || !project) {
    throw new Error(
      "usage: node branch.mjs NAME, with PGCOMPUTE_API_KEY, PGCOMPUTE_BASE_URL and PGCOMPUTE_PROJECT_ID set",
    );
  }
  const url = branchesUrl();
  const existing = await findBranch(url);
  // Without `endpoints`, the new branch has none: that is the program's part.
  const created = existing ? undefined : await call("POST", url, { branch: { name } });
  /** @type {{ id: string }[]} */
  const operations = created?.operations ?? [];
  const ids = operations.map(({ id }) => checkedId(id));
  console.log(`branch_id=${checkedId((existing ?? created.branch).id)}\noperations=${ids.join(" ")}`);
} catch (error) {
  console.error(`branch.mjs: ${messageOf(error)}`);
  process.exitCode = 1;
}

/** The address of the project's branches. Refuses plain http except to this machine, as the provider does. */
function branchesUrl() {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error("PGCOMPUTE_BASE_URL is no address of the web");
  if (url.protocol === "http:" && !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)) {
    throw new Error("PGCOMPUTE_BASE_URL: plain http would send the key in the clear; use https");
  }
  if (url.username || url.password || address.includes("?") || address.includes("#")) {
    throw new Error("PGCOMPUTE_BASE_URL must not have a user name, a password, a query or a fragment");
  }
  url.pathname = `${url.pathname.replace(/\/$/, "")}/projects/${encodeURIComponent(project)}/branches`;
  return url;
}

/**
 * The branch of this name, whichever page of the list has it.
 *
 * @param {URL} url
 * @returns {Promise<{ id: string } | undefined>}
 */
async function findBranch(url) {
  const page = new URL(url);
  // By creation: no change of a branch moves it from page to page.
  page.search = "limit=100&sort_by=created_at";
  for (let cursor = ""; ; ) {
    if (cursor) page.searchParams.set("cursor", cursor);
    const { branches, pagination } = await call("GET", page);
    const found = branches.find((/** @type {{ name: string }} */ branch) => branch.name === name);
    const next = pagination?.next ?? "";
    if (found || branches.length === 0 || next === "" || next === cursor) return found;
    cursor = next;
  }
}

/**
 * @param {"GET" | "POST"} method
 * @param {URL} url
 * @param {unknown} [body]
 * @param {number} [repeats] how many there were
 * @returns {Promise<any>}
 */
async function call(method, url, body, repeats = 0) {
  const response = await fetch(url, {
    method,
    redirect: "error",
    headers: { accept: "application/json", authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error(`${method} branches: no answer`);
  });
  if (repeatable.includes(response.status) && repeats < maxRepeats) {
    await sleep(500 * 2 ** repeats);
    return call(method, url, body, repeats + 1);
  }
  if (!response.ok) throw new Error(`${method} branches: status ${response.status}`);
  return response.json().catch(() => {
    throw new Error(`${method} branches: the answer is no JSON`);
  });
}

/** @param {unknown} id */
function checkedId(id) {
  if (typeof id === "string" && /^[A-Za-z0-9-]{1,64}$/.test(id)) return id;
  throw new Error("the answer has an id that is none");
}

/** @param {unknown} error */
function messageOf(error) {
  if (error instanceof TypeError || !(error instanceof Error)) return "the answer is not what was expected";
  return error.message;
}
