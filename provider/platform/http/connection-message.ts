const CODE = /^[A-Z][A-Z0-9_]{1,60}$/;

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the other side closed the connection",
  UND_ERR_CONNECT_TIMEOUT: "the connection took too long",
  UND_ERR_ABORTED: "the proxy did not open a tunnel",
};

/**
 * Why a connection failed, in words made from its error code alone: the message and the fields of a network error may
 * hold the request with its key, or the proxy's address with its password.
 */
export function connectionMessage(error: unknown, sent: boolean, origin: string): string {
  const code = codeOf(error);
  const why = [wordsOf(code), code === undefined ? undefined : `(${code})`].filter(Boolean).join(" ");
  return sent
    ? `the connection to ${origin} broke before the answer was complete: ${why}`
    : `no connection to ${origin}: ${why}`;
}

function wordsOf(code: string | undefined): string {
  if (code === undefined) return "an unknown fault";
  if (CERTIFICATE.test(code)) {
    return "its TLS certificate is not valid for it, or of an authority that NODE_EXTRA_CA_CERTS would have to name";
  }
  return WORDS[code] ?? "the network failed";
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === "string" && CODE.test(code)) return code;
  // Several addresses were tried, each with its own error.
  return Array.isArray(errors) ? codeOf(errors[0]) : undefined;
}
