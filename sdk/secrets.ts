import { isSecret, Output } from "@pulumi/pulumi";

/** How deep secrets are told apart: a fleet's map, a member, a property. */
const DEPTH = 3;

/** The paths of the secrets in arguments. Fails if an argument fails. */
export async function secretsWithin(value: unknown, path: readonly string[] = []): Promise<string[][]> {
  if (Output.isInstance(value)) return (await isSecret(value)) ? [[...path]] : [];
  if (value instanceof Promise) return secretsWithin(await value, path);
  if (typeof value !== "object" || value === null) return [];
  if (path.length > DEPTH) return [];
  const within = Object.entries(value).map(([name, one]) => secretsWithin(one, [...path, name]));
  return (await Promise.all(within)).flat();
}
