/** Ways through the network to the platform, and what each must end in, however the provider was built. */
import { expect } from "vitest";
import type { Places } from "./places";
import type { Way } from "./ways";

/** One case: where the platform is said to be, what the environment says besides, and how reading ends. */
interface Case {
  name: string;
  /** How the platform answers, where it does not do so at once and as a whole. */
  manner?: string;
  /** Host and port; a host of its own at a port that none but a proxy knows, where there is none. */
  at?: (places: Places) => string;
  env?: (places: Places) => Record<string, string>;
  /** What the user is told; where there is none, the endpoint is read. */
  told?: RegExp;
  /** Whether a proxy is asked for a tunnel. */
  asksProxy?: true;
  /** Whether a request reaches the platform, where that does not follow from `told`. */
  reaches?: true;
  /** Whether a server that ends each connection is asked. */
  asksEnding?: true;
  /** Whether each bundle could do it in another way; the rest is one code's, which the plugin plays for all. */
  isBuiltIn?: true;
  /** Whether somebody hangs up or refuses: then the command plays it, too, and neither tries more than five times. */
  isHungUp?: true;
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

const cases: readonly Case[] = [
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
    told: /the proxy answered 407 and opened no tunnel: it asks for the user name and password that HTTPS_PROXY can hold/,
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
  ...(
    [
      ["ends the connection when it is asked for a tunnel", "hangup", /the proxy hung up before it opened a tunnel/],
      ["ends the connection within its answer", "halfhead", /the proxy hung up before it opened a tunnel/],
      ["opens a tunnel and closes it at once", "opened", /opened a tunnel, and then it or the platform hung up/],
      ["closes the tunnel within the TLS hello", "hello", /opened a tunnel, and then it or the platform hung up/],
      ["answers the TLS hello with something else", "babble", /no connection to https:/],
      ["answers 407", "noaccess", /the proxy answered 407 and opened no tunnel: it asks for the user name/],
      ["answers 403", "forbidden", /the proxy answered 403 and opened no tunnel: it does not allow this address/],
      ["answers 502", "gateway", /the proxy answered 502 and opened no tunnel/],
    ] as const
  ).map(([what, manner, told]): Case => {
    return { name: `a proxy that ${what}`, manner, told, env: trustingOpen, asksProxy: true, isHungUp: true };
  }),
  {
    ...{ name: "a proxy over TLS that ends the connection when it is asked for a tunnel", manner: "hangup" },
    env: (places) => ({ ...trusting(places), HTTPS_PROXY: `https://127.0.0.1:${places.tlsProxyPort}` }),
    ...{ told: /the proxy hung up before it opened a tunnel/, asksProxy: true, isHungUp: true },
  },
  ...(["http", "https", "socks5"] as const).flatMap((scheme) =>
    (["endingPort", "endingLaterPort"] as const).map((port): Case => {
      const when = port === "endingPort" ? "when it is made" : "at the first byte";
      return {
        name: `a proxy (${scheme}) that ends each connection ${when}`,
        env: (places) => ({ ...trusting(places), HTTPS_PROXY: `${scheme}://127.0.0.1:${places[port]}` }),
        ...{ told: /no connection to https:/, asksEnding: true, isHungUp: true },
      };
    }),
  ),
  ...(["endingPort", "endingLaterPort"] as const).map((port): Case => {
    const when = port === "endingPort" ? "when it is made" : "within the TLS hello";
    return {
      name: `a host that NO_PROXY names and that ends each connection ${when}`,
      at: (places) => `0.0.0.0:${places[port]}`,
      env: (places) => ({ ...trustingOpen(places), NO_PROXY: "0.0.0.0" }),
      ...{ told: /no connection to https:/, asksEnding: true, isHungUp: true },
    };
  }),
  {
    ...{ name: "a platform that ends each connection at a request", manner: "closing", env: trustingOpen },
    ...{ told: /broke before the answer was complete/, asksProxy: true, reaches: true, isHungUp: true },
  },
  {
    ...{ name: "the same, without a proxy", manner: "closing", at: direct, env: trusting, reaches: true },
    ...{ told: /broke before the answer was complete/, isHungUp: true },
  },
];

/** Attempts of one call. */
const MOST = 5;

/** The cases that the way of this name plays. */
export function casesOf(way: string): Case[] {
  if (way === "plugin") return [...cases];
  return cases.filter(({ isBuiltIn, isHungUp }) => isBuiltIn || (way === "command" && isHungUp));
}

const KEY = "napi_0123456789-network";

/** Plays one case in one way, and holds what came of it against the case. */
export async function play({ name, read }: Way, each: Case, places: Places): Promise<void> {
  const project = `${each.manner ?? "whole"}-${cases.indexOf(each)}-${name}`;
  const host = each.at?.(places) ?? `${project}.platform.test`;
  if (each.asksEnding) places.ending.plays += 1;
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
  if (each.isHungUp) {
    expect(tunnels.length).toBeLessThanOrEqual(MOST);
    expect(places.projects.filter((one) => one === project).length).toBeLessThanOrEqual(MOST);
    expect(places.ending.connections).toBeLessThanOrEqual(MOST * places.ending.plays);
  }
  for (const tunnel of tunnels) {
    expect(tunnel.target).toBe(`${host}:443`);
    expect(tunnel.text).not.toContain(KEY);
  }
}
