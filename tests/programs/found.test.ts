import { at, type Case, inFleet, type OwnerChange, own, to } from "./support/cases";
import { itEnds } from "./support/found";

// Programs that chance has found once, cut down to what matters.

const changed: OwnerChange = { kind: "scatter", which: 0, fleet: 0, whole: false, follows: true, reuses: "there" };

const done: Record<string, Partial<Case>> = {
  "the key of a member that was scattered is used again, and the run is shown the fleet alone": {
    slots: [
      { before: own(0, "read_write"), after: "same", home: inFleet(0) },
      { before: own(0, "read_only"), after: "same", home: inFleet(0) },
    ],
    ownerChanges: [{ ...changed, kind: "scatter", which: 1 }],
    selection: { option: "target", which: [0] },
  },
  "a member becomes a replica on a branch to which another one of its fleet moves": {
    slots: [
      { before: own(2, "read_write"), after: to(2, "read_only"), home: inFleet(0) },
      { before: own(0, "read_write"), after: to(2), home: inFleet(0) },
    ],
  },
  "one moves to where a member is that is deleted": {
    host: "dynamic",
    slots: [
      { before: own(1, "read_only"), after: to(2) },
      { before: own(2, "read_write"), home: inFleet(0) },
    ],
    choices: { preview: [1], up: [], delays: [] },
  },
  "a resource is dropped whose endpoint another one has as well": {
    slots: [{ before: own(0, "read_write"), after: "same" }, { before: at(0, "read_write", "shared") }],
  },
  // Its old endpoint was taken over, so it stays, and whoever comes is replaced in either order.
  "one that changes its type leaves what it had taken over": {
    slots: [
      { before: own(0, "read_only"), after: to(1) },
      { before: at(1, "read_write", "adopted"), after: to(1, "read_only") },
    ],
    choices: { preview: [1], up: [0], delays: [] },
  },
  // With its fleet excluded, the endpoint's owner is hidden: both members then have it, and their order decides which
  // may leave.
  "a member adopts what another fleet has, which waits for it and is not shown": {
    keepsNames: false,
    slots: [
      { after: to("here"), home: inFleet(1) },
      { before: own(1, "read_write"), after: to(0, "read_write"), home: inFleet(0) },
      { before: at(0, "read_only", "stranger"), after: to(0), home: inFleet(0) },
      { after: { ...to(1), adopts: true }, home: { after: 1, imports: false } },
    ],
    edges: [[1, 0]],
    meddling: [{ kind: "leaves", which: 3 }],
    selection: { option: "exclude", which: [0] },
  },
  "a member takes over a replica beside another fleet's member": {
    host: "dynamic",
    slots: [
      { before: own(1, "read_write"), after: { ...to(1), sizeCu: 1 }, home: inFleet(0) },
      { before: at(1, "read_only", "stranger"), after: to(1), home: { ...inFleet(1), imports: true } },
    ],
    choices: { preview: [1], up: [1], delays: [] },
  },
  "members that were taken over go to another fleet, whichever of the two comes first": {
    slots: [
      { before: at(0, "read_only", "adopted"), after: to(0), home: { before: 0, after: 1, imports: true } },
      { before: at(1, "read_write", "adopted"), after: to(1), home: { before: 0, after: 1, imports: true } },
    ],
    choices: { preview: [0], up: [1], delays: [] },
  },
  // The one that moves is replaced beside the member that stays, before and after the other has gone.
  "a member goes, and another one of its fleet stays beside one that comes": {
    host: "dynamic",
    slots: [
      { before: own(1, "read_write"), after: "same", home: inFleet(0) },
      { before: own(1, "read_only"), home: inFleet(0) },
      { before: own(0, "read_only"), after: to(1) },
    ],
    choices: { preview: [0], up: [1], delays: [] },
  },
  "a member that was taken over goes to the fleet that comes second": {
    slots: [{ before: at(1, "read_write", "adopted"), after: to(1), home: { before: 0, after: 1, imports: true } }],
    choices: { preview: [1], up: [0], delays: [] },
  },
  "a fleet lets go of an endpoint that one has as well, which was replaced before": {
    moves: "replace",
    slots: [
      { before: own(1, "read_write"), after: to(0) },
      { before: at(1, "read_write", "shared"), home: { ...inFleet(0), retain: "before" } },
    ],
    choices: { preview: [], up: [1, 0, 1], delays: [] },
  },
  // An adopted endpoint stays on its branch when its member leaves, without a request: so it is adopted before or
  // after.
  "one adopts what a fleet lets go of and had taken over, whichever of the two comes first": {
    slots: [
      { before: at(0, "read_write", "adopted"), home: inFleet(0) },
      { after: { ...to(0, "read_write"), adopts: true } },
    ],
    choices: { preview: [1], up: [0], delays: [] },
  },
  "a fleet adopts what another one lets go of and had taken over, whichever of the two comes first": {
    slots: [
      {
        before: at(0, "read_write", "adopted"),
        after: { ...to("here"), adopts: true },
        home: { before: 0, after: 1, imports: false },
      },
    ],
    fleets: [
      { isRenamed: false, staysEmpty: true },
      { isRenamed: false, staysEmpty: false },
    ],
    choices: { preview: [1], up: [0], delays: [] },
  },
  "a run that was shown one fleet alone took a member's endpoint over for it, which the other fleet drops": {
    slots: [{ before: own(0, "read_write"), after: "same", home: { before: 0, after: 1, imports: true } }],
    selection: { option: "target", which: [1] },
    meddling: [{ kind: "resizes", which: 0 }],
    choices: { preview: [0, 0, 0, 1], up: [], delays: [] },
  },
  // The engine begins the replica's step before it has checked the primary, or while the primary is still to begin.
  "a primary and its replica go to an empty branch together, and the replica's step begins first": {
    slots: [
      { before: own(0, "read_only"), after: to(1) },
      { before: own(0, "read_write"), after: to(1) },
    ],
  },
  "two fleets have a primary and its replica, which go to an empty branch, and the replica's step begins first": {
    host: "dynamic",
    slots: [
      { before: own(0, "read_only"), after: to(1), home: inFleet(0) },
      { before: own(0, "read_write"), after: to(1), home: inFleet(1) },
    ],
    choices: { preview: [], up: [0, 0, 1], delays: [] },
  },
  // The option holds for what is known, so the preview announces the replacement.
  "one is replaced by its option on a branch that the preview does not know": {
    slots: [{ before: own(0, "read_write"), after: { ...to("here"), preloads: "one", replaces: true } }],
    unknown: 0,
  },
};

const refused: Record<string, Partial<Case>> = {
  "somebody else makes room for a move, and so for the one behind it": {
    slots: [
      { before: own(0, "read_only"), after: "same" },
      { before: own(2, "read_write"), after: to(0) },
      { before: own(1, "read_only"), after: to(2) },
    ],
    edges: [[1, 2]],
    meddling: [{ kind: "leaves", which: 0 }],
  },
  "a fleet drops a member after the resource that has its endpoint as well": {
    host: "dynamic",
    slots: [
      { before: own(0, "read_only"), after: "same" },
      { before: at(0, "read_only", "shared"), home: { before: 0, imports: false } },
      { before: own(1, "read_write"), after: "same", home: inFleet(0) },
    ],
    edges: [[0, 2]],
  },
  "one moves to where a member is that leaves": {
    host: "dynamic",
    slots: [
      { before: own(1, "read_only"), after: to(2) },
      { before: own(2, "read_write"), after: to(1), home: inFleet(0) },
    ],
    choices: { preview: [1], up: [], delays: [] },
  },
  "a member is deleted, and another fleet comes to its branch": {
    slots: [
      { before: own(0, "read_write"), home: inFleet(0) },
      { after: { ...to(0, "read_write"), adopts: true }, home: inFleet(1) },
    ],
    choices: { preview: [0, 0], up: [], delays: [] },
  },
  "a fleet takes over what another one lets go of, whichever of the two comes first": {
    keepsNames: false,
    slots: [
      { before: own(2, "read_write"), home: inFleet(0) },
      { after: { ...to(2, "read_write"), adopts: true }, home: inFleet(1) },
    ],
    choices: { preview: [1, 0], up: [], delays: [] },
  },
  // By then it has another, and the fleet would delete what the preview said it lets go.
  "a fleet drops an endpoint that one has as well, which it waits for and which is replaced": {
    moves: "replace",
    slots: [
      { before: own(1, "read_only"), after: to(0) },
      { before: at(1, "read_only", "shared"), home: inFleet(0) },
      { before: own(2, "read_write"), after: "same", home: inFleet(0) },
    ],
    edges: [[0, 2]],
  },
  // Which of the two is planned first, nobody says: the protection must hold, or not, in either order.
  "a fleet drops a protected member that is to be kept, and another resource has its endpoint as well": {
    host: "dynamic",
    slots: [
      { before: own(2, "read_only"), after: to(1) },
      {
        before: at(2, "read_only", "shared"),
        home: { before: 0, protect: "before", retain: "before", imports: false },
      },
    ],
    choices: { preview: [1], up: [0], delays: [] },
  },
  "a fleet has another name, and a new one has its name and keys, which alone the run is shown": {
    slots: [{ before: own(0, "read_write"), after: "same", home: inFleet(0) }],
    ownerChanges: [{ ...changed, kind: "rename", whole: true }],
    selection: { option: "target", which: [0] },
  },
  "a member was sent to another stack, and its key is used again": {
    slots: [
      { before: own(0, "read_write"), after: "same", home: inFleet(0) },
      { before: own(1, "read_write"), after: "same", home: inFleet(0) },
    ],
    ownerChanges: [{ ...changed, kind: "sendAway" }],
  },
  "one would adopt what an interrupted run has made for another resource": {
    slots: [{ before: at(0, "read_write", "orphan") }, { after: { ...to(0, "read_write"), adopts: true } }],
  },
  "somebody has made an endpoint by the name of a member that is new": {
    slots: [{ before: at(0, "read_write", "forged"), after: to(0), home: inFleet(0) }],
  },
  "a member is new where another one takes over what is there by its importId": {
    slots: [
      { after: to(0), home: inFleet(0) },
      { before: own(0, "read_write"), after: "same", home: { after: 0, imports: true } },
    ],
    ownerChanges: [{ ...changed, kind: "sendAway", reuses: "no" }],
  },
  // One of them would have deleted it as soon as it leaves the program.
  "an endpoint of its own has a fleet as its parent and the name of a member, which is to take it over": {
    slots: [{ before: own(1, "read_write"), after: to(1), home: { before: 1, after: 0, imports: true } }],
    ownerChanges: [{ ...changed, kind: "nest", reuses: "no" }],
  },
  // Where no names are kept, only the member's own state tells that its endpoint stays when it leaves.
  "one comes to where a fleet lets go of what it had taken over, which somebody else has moved": {
    moves: "replace",
    keepsNames: false,
    slots: [
      { home: inFleet(0) },
      { before: own(0, "read_write"), after: to("here", "read_write"), home: inFleet(0) },
      { before: at(2, "read_write", "adopted"), after: to(2), home: { ...inFleet(1), after: undefined } },
    ],
    fleets: [
      { maxDeletions: undefined, isRenamed: false, staysEmpty: false },
      { maxDeletions: undefined, isRenamed: false, staysEmpty: true },
    ],
    ownerChanges: [{ ...changed, kind: "nest" }],
    meddling: [{ kind: "moves", which: 0, branch: 0 }],
    choices: { preview: [0, 554, 0, 481, 0, 0, 0, 0, 0, 7], up: [], delays: [] },
  },
  // Its update finished before the fleet's turn: the preview announced a release, and up asked the fleet first, which
  // deleted it.
  "a fleet drops a member whose endpoint another resource has as well, which is met first by chance": {
    slots: [
      { before: own(0, "read_write"), after: { ...to("here"), preloads: "one" } },
      { before: at(0, "read_write", "shared"), home: inFleet(0) },
    ],
    choices: { preview: [1], up: [], delays: [] },
  },
  // The pending delete comes only with its resource, which waits for the other one.
  "two exchange their branches, and in the way of one is what waits for its delete": {
    slots: [
      { before: at(2, "read_write", "pending"), after: to(0, "read_write") },
      { before: own(0, "read_only"), after: to(0) },
      { before: own(0, "read_write"), after: to(2) },
    ],
  },
  // The fleet keeps both when its delete is refused, and has then what the other one has taken over.
  "a fleet goes with a protected member, and another fleet takes over what it retains": {
    slots: [
      {
        before: own(1, "read_write"),
        after: to("here"),
        home: { before: 1, after: 0, imports: true, retain: "before" },
      },
      { before: own(0, "read_only"), after: "same", home: { before: 1, after: 0, imports: false, protect: "before" } },
      { before: own(0, "read_write"), after: "same" },
      { after: to(0, "read_write") },
    ],
  },
  // The setting that takes up the one would take up the other, too, which a member has.
  "one is taken up after a killed run, while another one wants what a fleet's member has": {
    host: "plugin",
    moves: "replace",
    slots: [
      { before: at(1, "read_write", "orphan"), after: to(1, "read_write") },
      { before: own(0, "read_write"), after: to(0) },
    ],
    ownerChanges: [{ kind: "gather", which: 0, fleet: 0, whole: false, follows: true, reuses: "as said" }],
  },
};

// Met after the fleet it was created a second time, met before it taken up: neither is what the other order comes to.
for (const [at, first] of ["the replica", "the fleet"].entries()) {
  refused[`a replica was gathered into a fleet, its name is used again, and ${first} is met first`] = {
    slots: [{ before: own(0, "read_only"), after: "same" }],
    ownerChanges: [{ ...changed, kind: "gather" }],
    adoptsInterrupted: true,
    choices: { preview: [at], up: [1], delays: [] },
  };
}

const conflict: Record<string, Partial<Case>> = {
  "somebody has come to the branch of a new one since the preview": {
    slots: [{ after: to(0, "read_write") }],
    meddling: [{ kind: "arrives", spot: { branch: 0, type: "read_write" } }],
  },
  "somebody has come to the branch of a move since, which lists do not show yet": {
    slots: [{ before: own(0, "read_write"), after: to(1) }],
    meddling: [{ kind: "arrives", spot: { branch: 1, type: "read_write" } }],
    lagMs: 4_000,
  },
  "a primary moves after its new replica, which lists do not show yet": {
    slots: [{ after: to(1, "read_only") }, { before: own(0, "read_write"), after: to(1) }],
    edges: [[0, 1]],
    lagMs: 4_000,
  },
  // No name tells that it has an owner, whom the run meets later: that one says that both have it.
  "one adopts what somebody else has moved to its branch, before the fleet that has it is checked": {
    keepsNames: false,
    slots: [
      { before: own(0, "read_write"), after: "same", home: inFleet(0) },
      { after: { ...to(1, "read_write"), adopts: true } },
    ],
    edges: [[1, 0]],
    meddling: [{ kind: "moves", which: 0, branch: 1 }],
  },
  "a fleet adopts what somebody else has moved to its branch, before the one that had adopted it is checked": {
    slots: [
      { before: at(0, "read_write", "adopted"), after: "same" },
      { after: { ...to(1, "read_write"), adopts: true }, home: inFleet(0) },
    ],
    edges: [[1, 0]],
    meddling: [{ kind: "moves", which: 0, branch: 1 }],
  },
  "a primary and its replica go to an empty branch one by one, the replica first": {
    slots: [
      { before: own(0, "read_only"), after: to(1) },
      { before: own(0, "read_write"), after: to(1) },
    ],
    isSerial: true,
  },
};

for (const refreshes of [false, true]) {
  const when = refreshes ? "with a refresh" : "without one";
  refused[`three move up by an index, ${when}`] = {
    slots: [0, 1, 2].map((branch) => ({ before: own(branch, "read_write"), after: "same" })),
    isShifted: true,
    refreshes,
  };
  refused[`one comes to where the old half of a replacement waits for its delete, ${when}`] = {
    slots: [
      { before: own(0, "read_write"), after: "same" },
      { before: at(1, "read_write", "pending") },
      { after: to(1, "read_write") },
    ],
    refreshes,
  };
}

itEnds("done", done);
itEnds("refused in preview", refused);
itEnds("conflict", conflict);
