import { KEY_ADVICE } from "../../../cli/account";
import { createApi } from "../../../provider/platform/client";
import { ConfigurationError } from "../../../provider/platform/errors";
import { occupiedMessage } from "../../../provider/pulumi/advice";
import { configurationWarnings } from "../../../provider/pulumi/plugin/configuration";
import { caught } from "./messages";
import { place } from "./refusals";

const key = { apiKey: "KEY", baseUrl: "https://api.example.com/v2" };

/** What a provider says that cannot begin, and of calls that no engine makes. */
export function programMessages(): string[] {
  const errors = [
    caught(() => createApi({ ...key, baseUrl: "https://api.example.com" })),
    caught(() => createApi({ ...key, apiKey: "" })),
    caught(() => createApi({ ...key, apiKey: "two words" })),
    caught(() => createApi({ ...key, maxRequestsPerSecond: 0 })),
    new ConfigurationError("HTTPS_PROXY", "the environment variable HTTPS_PROXY is not the address of a proxy"),
  ];
  return [
    ...errors.map(({ message }) => message),
    "the provider was not configured",
    "pgcompute has no resource TYPE; its one resource is pgcompute:index:Endpoint",
    "pgSettings is nested more than 64 levels deep",
    "a fault of the provider itself, please report it: WHAT WENT WRONG",
    "the engine sent values that are no record",
    "the engine sent inputs that cannot be used: PROPERTY: REASON",
    "the engine sent inputs of which some are not known yet",
    'endpoint "NAME": the resource option "import" needs the pgcompute plugin; without it, set `adoptExisting: true` to ' +
      "take over a branch's read-write endpoint",
    occupiedMessage({
      ...place,
      occupant: { endpointId: "ep-cool-rain-87654321", minCu: 1, maxCu: 1 },
      host: "dynamic",
      forcedReplacementPossible: true,
    }),
  ];
}

/** What a preview says of a changed configuration. */
export function configurationChanges(): string[] {
  return configurationWarnings(key, { ...key, baseUrl: "https://other.example.com/v2" });
}

/** What the command lines of `pgcompute` and of the emulator say when they cannot do what they are asked. */
export const commandMessages: readonly (readonly [command: string, message: string])[] = [
  ["`pgcompute`", `no API key: ${KEY_ADVICE}`],
  ["`pgcompute`", `the API key is no option: ${KEY_ADVICE}`],
  ["`pgcompute`", "no project: give --project, or set PGCOMPUTE_PROJECT_ID"],
  ["`pgcompute`", '"My project" cannot be a project\'s id: give the id, not the name'],
  [
    "`pgcompute endpoints`",
    "project PROJECT has no endpoint ENDPOINT; `pgcompute endpoints list` shows those that it has",
  ],
  ["`pgcompute endpoints delete`", "delete asks first, and there is no terminal to ask at: give --yes"],
  ["`pgcompute endpoints delete`", "nothing was deleted"],
  ["`pgcompute endpoints delete`", "the platform refuses to delete endpoint PROJECT/ENDPOINT: ITS WORDS"],
  ["`pgcompute review`", "give a file, or pipe `pulumi preview --json` into this"],
  ["`pgcompute review`", "cannot read the plan: WHY"],
  ["`pgcompute review`", "there is no plan to read: the input is empty (did `pulumi preview --json` fail before it?)"],
  [
    "`pgcompute review`",
    "this is not what `pulumi preview --json` prints: give its standard output alone, without other text in it",
  ],
  ["`pgcompute review`", "cannot write the report: WHY"],
  ["`pgcompute review`", '--fail-on: "WORD" is not one of CONDITIONS'],
  ["`pgcompute-emulator`", "--plan: use free or paid"],
  ["`pgcompute-emulator`", "--port: use a whole number from 0 to 65535"],
  ["`pgcompute-emulator`", "apiKey: printable ASCII without spaces"],
];
