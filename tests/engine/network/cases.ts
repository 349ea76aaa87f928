/** Ways through the network to the platform, and what each must end in, however the provider was built. */
import { expect } from "vitest";
import type { Places } from "./places";
import type { Way } from "./ways";

/** One case: where the platform is said to be, what the environment says besides, and how reading ends. */
interface Case {
  name: string;
  /** How the platform answers, where it does not do so at once and as a whole. */
  manner?: "slow" | "cut" | "reset";
  /** Host and port; a host of its own at a port that none but a proxy knows, where there is none. */
  at?: (places: Places) => string;
  env?: (places: Places) => Record<string, string>;
  /** What the user is told; where there is none, the endpoint is read. */
  told?: RegExp;
  /** Whether a proxy is asked for a tunnel. */
  asksProxy?: true;
  /** Whether a request reaches the platform, where that does not follow from `told`. */
  reaches?: true;
  /** Whether each bundle could do it in another way; the rest is one code's, which the plugin plays for all. */
  isBuiltIn?: true;
}

const direct = ({ port }: Places) => `0.0.0.0:${port}`;
const trusting = ({ authority }: Places) => ({ NODE_EXTRA_CA_CERTS: authority });
const open = ({ proxyPort }: Places) => ({ HTTPS_PROXY: `http://127.0.0.1:${proxyPort}` });
const trustingOpen = (places: Places) => ({ ...trusting(places), ...open(places) });
const trustingClosed = (user: string) => (places: Places) => ({
  ...trusting(places),
  HTTPS_PROXY: `http://${user}@127.0.0.1:${places.closedProxyPort}`,
});
const untrusted =
  /its TLS certificate is not valid for it, or its authority is unknown: NODE_EXTRA_CA_CERTS can name it/;

export const cases: readonly Case[] = [
  { name: "an authority of one's own", at: direct, env: trusting, isBuiltIn: true },
  { name: "a certificate that nobody vouches for", at: direct, told: untrusted, isBuiltIn: true },
  {
    ...{ name: "the same where the check is to be turned off", at: direct, told: untrusted, isBuiltIn: true },
    env: () => ({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }),
  },
  { name: "a proxy", env: trustingOpen, isBuiltIn: true, asksProxy: true },
  { name: "a proxy that wants a password", env: trustingClosed("user:pass-word"), asksProxy: true },
  {
    name: "a proxy that wants another password",
    env: trustingClosed("user:passes"),
    told: /the proxy did not open a tunnel/,
    asksProxy: true,
  },
  {
    name: "a proxy over TLS",
    env: (places) => ({ ...trusting(places), HTTPS_PROXY: `https://127.0.0.1:${places.tlsProxyPort}` }),
    asksProxy: true,
  },
  { name: "a proxy before a platform that nobody vouches for", env: open, told: untrusted, asksProxy: true },
  {
    name: "a proxy where nothing listens",
    env: () => ({ HTTPS_PROXY: "http://127.0.0.1:1" }),
    told: /nothing listens there \(ECONNREFUSED\)/,
  },
  {
    name: "a proxy that is no address",
    env: () => ({ HTTPS_PROXY: "http://user:pass-word@[bad" }),
    told: /the environment variable HTTPS_PROXY is not the address of a proxy/,
  },
  {
    name: "a host that NO_PROXY names",
    at: direct,
    env: (places) => ({ ...trustingOpen(places), NO_PROXY: "elsewhere.test,0.0.0.0" }),
    isBuiltIn: true,
  },
  { name: "this machine, whatever proxy is set", at: ({ port }) => `localhost:${port}`, env: trustingOpen },
  { name: "a body that comes slowly", manner: "slow", env: trustingOpen, asksProxy: true },
  {
    name: "a body that is cut, always",
    manner: "cut",
    at: direct,
    env: trusting,
    told: /broke before the answer was complete: the other side closed the connection/,
    reaches: true,
  },
  { name: "an answer that is cut once", manner: "reset", env: trustingOpen, asksProxy: true },
];

/** What is played by each way but the plugin's. */
export const builtIn = cases.filter(({ isBuiltIn }) => isBuiltIn);

const KEY = "napi_0123456789-network";

/** Plays one case in one way, and holds what came of it against the case. */
export async function play({ name, read }: Way, each: Case, places: Places): Promise<void> {
  const project = `${each.manner ?? "whole"}-${cases.indexOf(each)}-${name}`;
  const host = each.at?.(places) ?? `${project}.platform.test`;
  const { ok, text } = await read(project, {
    PGCOMPUTE_API_KEY: KEY,
    PGCOMPUTE_BASE_URL: `https://${host}/api/v2`,
    ...each.env?.(places),
  });
  if (each.told) expect(text).toMatch(each.told);
  else expect(text).toContain("ep-calm-sea-1.eu-central-1.aws.example.com");
  expect(ok).toBe(each.told === undefined);
  expect(text).not.toMatch(/napi_|pass-word|passes/);
  expect(places.projects.includes(project)).toBe(each.reaches ?? ok);
  const tunnels = places.tunnels.filter(({ target }) => target.startsWith(project));
  expect(tunnels.length > 0).toBe(each.asksProxy === true);
  for (const tunnel of tunnels) {
    expect(tunnel.target).toBe(`${host}:443`);
    expect(tunnel.text).not.toContain(KEY);
  }
}
