/** By the test that follows them, its file and words of its name, words of the messages whose way on it follows. */
const messages: Readonly<Record<string, readonly string[]>> = {
  "cli/acts: is interrupted between the two halves": ["Start it, run: pgcompute endpoints start"],
  "cli/drift: in its environment": ["with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true in its environment"],
  "cli/state-engine: what was in a project that is gone is forgotten": [
    "use what `pulumi stack export --show-secrets` prints",
    "what `pulumi stack export` prints",
  ],
  "cli/state: who has which endpoint is listed": ["`pgcompute state list` shows those that it has"],
  "cli/ways-on: about endpoints that may be nobody's": [
    "was created for this resource by an earlier run, and no resource of this run",
    "read replica {id} is on branch",
    "and the platform's lists were behind; to delete it",
    "} endpoints list --project",
    "Look whether it is there, run: {look}. To delete it",
    "} operations --project PROJECT",
  ],
  "cli/ways-on: lists what it says": [
    "`pgcompute endpoints list` shows what is there",
    "`pgcompute operations` shows what is under way",
    "`pgcompute projects` lists the projects",
    "`pgcompute endpoints list` shows whether",
    "`pgcompute endpoints list` shows what became",
    "`pgcompute endpoints list` shows those that the project has",
    "wait for it: pgcompute operations wait",
  ],
  "cli/ways-on: names the one that lists them": ["`pgcompute projects` lists them", "`pgcompute projects` lists both"],
  "cli/ways-on: the id of no endpoint": ["list` shows the endpoints that one has"],
  "cli/ways-on: says where a valid one is set": ["Set a valid key: export"],
  "cli/ways-on: names the command whose output it reads": [
    "--drift reads what `pulumi refresh --preview-only --json` prints",
    "give --drift, or pipe `pulumi preview --json`",
    "did `pulumi preview --json` fail before it",
    "this is not what `pulumi preview --json` prints",
  ],
  "cli/ways-on: names the flag of those that show them": ["give --show-replacement-steps to `pulumi preview --json`"],
  "cli/ways-on: names the command that writes one": ["`pgcompute review --seal` writes"],
  "engine/cases/half-way: the next up waits on instead of creating again": [
    "Run `pulumi up` again: it resumes the wait",
  ],
  "engine/cases/order: comes there once all others went first": ["let all others go first"],
  "engine/cases/order: two primaries exchange their branches by an empty one": ["go by an empty branch"],
  "engine/cases/replacing: Set `deleteBeforeReplace: true`": ["Set `deleteBeforeReplace: true` in the options"],
  "engine/cases/replacing: takes the option `deleteBeforeReplace: true`": [
    "so this takes the option `deleteBeforeReplace",
  ],
  "engine/cases/replacing: goes on without it": ["Take `deleteBeforeReplace: false` out"],
  "engine/faults/nameless: the command of the message leads on": [
    "What you can do before you run `pulumi up` again",
    "to delete {it}, if nobody else has it",
    "or bring it under management",
  ],
  "engine/faults/nameless: after a forced replacement that adopts": [
    "to get a new endpoint, run: pulumi destroy",
    "{kept} before pulumi destroy is run",
  ],
  "engine/kills/interrupts: is interrupted in the middle of a run": ["Run `pulumi up` again: it resumes where"],
  "engine/kills/ways-on: or a message names the one command": ["to take it up instead of creating another"],
  "engine/network/network: the environment's key only where": ["set PGCOMPUTE_BASE_URL=ADDRESS beside the key"],
  "engine/surface/configuration: As the message says": ["to take it out, run: pulumi config rm"],
  "engine/ways-on: take up what no state has": ["without --target and --exclude, which hide owners"],
  "engine/ways-on: delete what a name tells that nobody has": ["to delete it, with its host name, only where"],
  "engine/ways-on: see who has which endpoint": ["see who has which endpoint"],
  "engine/ways-on: import what is there": ["to bring it under management"],
  "engine/ways-on: create again what is gone": ["then `pulumi up` creates it again"],
  "engine/cases/pending: is left where it was": [
    "have this run let go of it, run: PGCOMPUTE_FORGET",
    "or take it out of the state, run",
  ],
  "engine/ways-on: keep the endpoint of what was renamed twice": ["run: pulumi stack --show-urns"],
  "engine/ways-on: let a root branch's endpoint stay": ["A program that still has it sets the resource option"],
  "engine/ways-on: allow larger sizes": ["pulumi config set pgcompute:maxSizeCu"],
  "engine/ways-on: say that the account is on a paid plan": ["pulumi config set pgcompute:plan"],
  "engine/ways-on: go back to the data of before a restore": ["PGCOMPUTE_UNDO_RESTORE="],
  "engine/ways-on: see the ids of branches": ["} branches --project"],
  "engine/ways-on: see the ids of projects": ["} projects"],
  "engine/ways-on: delete one's own first": ["which --replace or a taint is to replace"],
  "engine/ways-on: take one of two resources that have it out": ["pulumi state delete {formatUrnArgument}"],
  "engine/ways-on: take what is imported out of the state": [
    "a resource by `pulumi state delete URN`",
    "run the same command again with PGCOMPUTE_ADOPT_INTERRUPTED=1",
  ],
  "engine/ways-on: set to rights": ["or set the environment variable PGCOMPUTE_API_KEY", "Set a valid key with"],
  "engine/ways-on: delete what was taken over first": ["to have a new one instead, delete it first"],
  "engine/ways-on: take a member that two fleets have out of one of them": ["state forget {shellWord}"],
  "faults/matrix: under: %s": ["Run the same command again with PGCOMPUTE_ADOPT_INTERRUPTED=1"],
  "provider/endpoint/restart-when: as the refusal says": ["with another suspendTimeoutSeconds alone first"],
  "provider/endpoint/restart-when: as its error says": ["raise customTimeouts.update to wait longer"],
  "provider/fleet/half-way: that vanishes while it is waited for": ["Run `pulumi up` again: the provider reads"],
  "provider/fleet/half-way: changed with an operation that fails, of which the next preview tells": [
    "Run `pulumi up` again: it makes the change again",
  ],
  "provider/fleet/import: deletes nothing that the program does not have": ["and the program does not declare it"],
  "provider/fleet/moved: is told while nothing else changes": ["to bring it back, run: pulumi refresh"],
  "provider/fleet/moved: with the command that records it": ["Record that first, run: pulumi refresh"],
  "provider/fleet/owners: after it was let go": ["may be taken out in a run after one with"],
  "provider/fleet/replaced: that a protected member stops is ended by the run that its message asks for": [
    "set `protect: false` and run pulumi up",
  ],
  "provider/fleet/replaced: no more of what it has not taken up than maxDeletions allows": ["set `maxDeletions: "],
  "provider/fleet/replaced: As it says: without this one first": ["or run pulumi up without this one first"],
  "provider/fleet/ways-on: adopt what is there": ["to take it over in this program"],
  "provider/fleet/ways-on: keep the endpoint of a resource that was renamed": ["resource option `aliases"],
  "provider/fleet/ways-on: where the one that has the branch waits for it": [
    "run pulumi up without this one in the program first",
  ],
  "provider/fleet/ways-on: say the branch of before for one run": ["let what is there leave first: say branch"],
  "provider/fleet/ways-on: wait with `dependsOn` for the read-write endpoint": [
    "Let this one wait for it: add `dependsOn",
  ],
  "provider/fleet/ways-on: an empty one first": ["Give one of them a branch without endpoints and run"],
  "provider/fleet/ways-on: take off what asks for an endpoint": [
    "take `importId`, `adoptExisting` or adoptInterrupted",
  ],
  "provider/fleet/ways-on: make what is there a fleet's own": ["to make it the fleet's own, set `importId"],
  "provider/fleet/ways-on: do not ask for what is set already": ["run pulumi up without adoptInterrupted"],
  "provider/fleet/ways-on: keep a root branch's endpoint by retainOnDelete": [
    "Keep the member, set `retainOnDelete: true`",
  ],
  "provider/fleet/ways-on: take importId out": [
    "to have a new one, take importId out of the program",
    "already: take importId out of the program",
  ],
  "provider/fleet/ways-on: let one of two owners go": ["take its importId out, where the fleet has it not yet"],
  "provider/pulumi/plugin/aliases: with the way to take it over": ["To have that endpoint in the fleet, set `importId"],
  "provider/pulumi/ways-on: whose time is over goes on": ["Run `pulumi up` again: it goes on from there"],
  "provider/pulumi/ways-on: a setting that a message names helps": [
    "pulumi config set pgcompute:maxRequestsPerSecond",
    "pulumi config set pgcompute:requestTimeoutSeconds",
    "pulumi config set pgcompute:baseUrl ADDRESS",
  ],
  "provider/pulumi/ways-on: the setting that it names replaces": ["pulumi config set pgcompute:moves replace"],
};

/** For each message that names a command or an option, by words of it, the test that does what it says: file and name. */
export const followed = Object.entries(messages).flatMap(([test, all]) => {
  const [, file, name = ""] = test.match(/^(.*?): (.*)$/) ?? [];
  return all.map((words) => [words, `${file}.test.ts`, name] as const);
});
