/** Values as an exported state has them: with secrets in the clear, and with what the dynamic host keeps among them. */
import { hostOf, isFleet } from "../../cli/hosts";
import { secret } from "./messages";

type Path = readonly string[];

/** The value with secrets at these places; a place that it does not have is left out. */
export function seal(value: unknown, secrets: readonly Path[]): unknown {
  if (secrets.some((path) => path.length === 0)) {
    const { value: plain, ...mark } = secret(value);
    return { ...mark, plaintext: JSON.stringify(plain) };
  }
  if (secrets.length === 0 || typeof value !== "object" || value === null) return value;
  const below = (name: string) => secrets.flatMap(([first, ...rest]) => (first === name ? [rest] : []));
  if (Array.isArray(value)) return value.map((part, index) => seal(part, below(String(index))));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, seal(part, below(name))]));
}

/** The hidden inputs and outputs of a resource of the dynamic host; the paths are those of its secret inputs. */
export function hiddenFor({ urn, type }: { urn: string; type: string }, secrets: readonly Path[]): object {
  if (hostOf(type)?.name !== "dynamic") return {};
  const names = isFleet(type) ? secrets : [...new Set(secrets.map(([name]) => name))];
  return {
    __provider: `exports.handler=()=>require("pulumi-pgcompute/dynamic").${isFleet(type) ? "fleetProvider" : "provider"}`,
    __urn: urn,
    ...(names.length > 0 && { __secret: names }),
  };
}
