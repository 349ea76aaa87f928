import "reflect-metadata";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";

/** A certificate and its key, as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

const DAY_MS = 86_400_000;
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Creates a self-signed certificate for host names and 127.0.0.1, valid for a year. */
export async function selfSignedCertificate(hosts: readonly string[]): Promise<Certificate> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const now = Date.now();

  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=pgcompute-emulator",
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + 365 * DAY_MS),
    extensions: [
      new SubjectAlternativeNameExtension([
        ...hosts.map((value) => ({ type: "dns" as const, value })),
        { type: "ip" as const, value: "127.0.0.1" },
      ]),
    ],
  });

  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const lines = key.match(/.{1,64}/g)?.join("\n") ?? "";
  return {
    cert: certificate.toString("pem"),
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
