/**
 * `node branch.mjs NAME` finds the platform's branch of this name, or creates it, and prints what a workflow's
 * GITHUB_OUTPUT takes: `branch_id=...`, and `operations=...` to wait for. The key, the address and the project come from
 * PGCOMPUTE_API_KEY, PGCOMPUTE_BASE_URL and PGCOMPUTE_PROJECT_ID.
 */
const [name] = process.argv.slice(2);
const { PGCOMPUTE_API_KEY: key, PGCOMPUTE_BASE_URL: address, PGCOMPUTE_PROJECT_ID: project } = process.env;
if (!name || !key || !address || !project) {
  throw new Error(
    "usage: node branch.mjs NAME, with PGCOMPUTE_API_KEY, PGCOMPUTE_BASE_URL and PGCOMPUTE_PROJECT_ID set",
  );
}

const { branches } = await call("GET");
const existing = branches.find((/** @type {{ name: string }} */ branch) => branch.name === name);
// Without `endpoints`, the new branch has none: that is the program's part.
const created = existing ? undefined : await call("POST", { branch: { name } });
console.log(`branch_id=${(existing ?? created.branch).id}`);
/** @type {{ id: string }[]} */
const operations = created?.operations ?? [];
console.log(`operations=${operations.map(({ id }) => id).join(" ")}`);

/**
 * @param {"GET" | "POST"} method
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function call(method, body) {
  const response = await fetch(`${address?.replace(/\/$/, "")}/projects/${project}/branches`, {
    method,
    redirect: "error",
    headers: { accept: "application/json", authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} branches: ${response.status} ${await response.text()}`);
  return response.json();
}
