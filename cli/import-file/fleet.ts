/** Endpoints as a fleet: the id for `pulumi import`, and the program's arguments. */
import { isDeepStrictEqual } from "node:util";
import type { EndpointProperty } from "../../provider/endpoint/properties";
import { sizeNames } from "../../provider/endpoint/rules/size";
import { CommandError } from "../exit-code";
import type { Found, Named } from "./found";

type Said = Found["said"];

/** Placeholder for a secret value. Previews refuse it, as no property has its type. */
const TO_FILL_IN = [{ secret: true }];

/** The import id of a fleet. Throws a `CommandError` for endpoints of several projects. */
export function fleetImportId(members: readonly Named[]): string {
  const projects = [...new Set(members.map(({ projectId }) => projectId))];
  if (projects.length > 1) {
    throw new CommandError(
      `a fleet is imported from one project, and these endpoints are of ${projects.length}: give --project with one of ${projects.join(", ")}`,
    );
  }
  return `${projects[0]}/${members.map(({ name, endpointId }) => `${name}=${endpointId}`).join(",")}`;
}

/** A fleet's arguments: the most common project and settings as defaults, and each member's differences. */
export function fleetProgram(members: readonly Named[]) {
  const { projectId } = mostOf(members.map(({ projectId }) => ({ projectId })));
  const names = [...new Set(members.flatMap(({ said }) => Object.keys(said) as EndpointProperty[]))];
  const kinds = [...new Set(names.map(kindOf))];
  const defaults = kinds.map((kind) => mostOf(members.map(({ said }) => ofKind(said, kind))));

  const endpoints = members.map(({ name, said, options, secret = [], ...place }) => {
    const own = kinds.map((kind) => ofKind(said, kind)).filter((one, at) => !isDeepStrictEqual(one, defaults[at]));
    const project = place.projectId === projectId ? {} : { projectId: place.projectId };
    const toFillIn = Object.fromEntries(secret.map((property) => [property, TO_FILL_IN]));
    return [name, Object.assign(project, { branchId: place.branchId }, ...own, toFillIn, options)];
  });
  return { projectId, defaults: Object.assign({}, ...defaults), endpoints: Object.fromEntries(endpoints) };
}

/** The group of properties that share a default. Size properties form one group, as a single limit is invalid. */
function kindOf(name: string): string {
  return sizeNames.some((size) => size === name) ? "size" : name;
}

function ofKind(said: Said, kind: string): Said {
  return Object.fromEntries(Object.entries(said).filter(([name]) => kindOf(name) === kind));
}

/** The most frequent settings. Empty if any member has none: a default would change that member. */
function mostOf<T extends object>(said: readonly T[]): Partial<T> {
  const texts = said.map((one) => JSON.stringify(one));
  const count = (text: string) => texts.filter((one) => one === text).length;
  const [most = "{}"] = [...new Set(texts)].sort((a, b) => count(b) - count(a));
  return texts.includes("{}") ? {} : JSON.parse(most);
}
