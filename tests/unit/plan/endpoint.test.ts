// What becomes of endpoints, in tables; how they are read: table.ts.
import { describe } from "vitest";
import { table } from "./table";

describe("a branch changes hands", () => {
  table(`
    a chain in its order
      aa rw b2 > rw b3, done; bb rw b1 > rw b2
      => aa: move; bb: move
    a chain without an order names who leaves
      aa rw b2 > rw b3; bb rw b1 > rw b2
      => aa: move; bb: order: aa, bb
    a chain the wrong way round names who has the branch
      ep-aa rw b2 of aa; bb rw b1 > rw b2; aa rw b2 > rw b3
      => bb: occupied: ep-aa of aa, leaves b1; aa: move
    two that exchange their branches
      ep-aa rw b1 of aa; ep-bb rw b2 of bb; aa rw b1 > rw b2; bb rw b2 > rw b1
      => aa: occupied: ep-bb of bb, leaves b1; bb: occupied: ep-aa of aa, leaves b2
    roles change on one branch, in their order
      one rw b > ro b, done; two ro b > rw b
      => one: replace; two: replace
    roles change on one branch, without an order
      one rw b > ro b; two ro b > rw b
      => one: replace; two: order: one, two
    roles change on one branch, the wrong way round
      ep-one rw b of one; two ro b > rw b; one rw b > ro b
      => two: occupied: ep-one of one; one: replace
    what is replaced on another branch leaves late
      ep-x ro b2; one rw b1 > rw b2, done; two > rw b1
      => one: replace; two: leaves late: one
    what was taken over stays where it is when its resource changes its type
      one rw b > ro b, released, done; two > rw b
      => one: replace; two: new left behind: one
    what is replaced with what it depends on goes first, but not what was taken over
      one rw a, with another; two rw b, released, with another; three rw c, adopts, released, with another
      => one: create; two: new occupied: ep-two; three: adopt ep-three
    what would move, and is replaced by force, leaves late
      one rw b1 > rw b2, by force, done; two > rw b1
      => one: replace; two: leaves late: one
    what was taken over stays where it is when it is replaced by force
      one rw a, released, by force; two rw b, by force
      => one: released: ep-one; two: stays
    a new one comes to where the primary leaves, beside a replica that has come
      two ro b3 > ro b1, done; three rw b1 > rw b2; four > rw b1
      => two: replace; three: move; four: order: three, four
    a replica is replaced where somebody stays anyway, whoever else was to come
      ep-x rw b1; one rw b3 > rw b1; two ro b2 > ro b1
      => one: occupied: ep-x, leaves b3; two: replace
    what goes to another project leaves late
      one rw b > ro q:b; two > rw b, adopts
      => one: replace; two: leaves late: one
    two read-write endpoints are declared on one branch, and one of them would move there
      one rw a > rw b; two > rw b
      => one: move; two: declared twice: one
    a chain whose first resource is not yet known to have which endpoint
      aa rw b2 > rw b3, before its Diff; f/b rw b1 > rw b2
      => aa: move; f/b: order: aa, f/b
    the same in its order
      aa rw b2 > rw b3, before its Diff, done; bb > rw b2
      => aa: move; bb: create
    a replica that leaves is not the primary that stays
      aa ro b > ro c, before its Diff, done; bb rw b > rw d; cc > rw b
      => aa: move; bb: move; cc: order: bb, cc
  `);
});

describe("a single endpoint", () => {
  table(`
    stays
      main rw b
      => main: stays
    is not planned while its branch is not known
      main rw b > ?
      => main: stays
    moves to a branch without any
      main rw a > rw b
      => main: move
    is replaced where a replica stands
      ep-x ro b; main rw a > rw b
      => main: replace
    is replaced where the platform has no moves
      main rw a > rw b, no moves
      => main: replace
    was moved already by an interrupted run
      ep-main rw b of main; main rw a > rw b
      => main: move
    was moved already by an interrupted run, where the platform has no moves any more
      ep-main rw b of main; main rw a > rw b, no moves
      => main: move
    was moved already, and a replica leaves
      ep-main rw b of main; other ro b > ro c; main rw a > rw b
      => other: move; main: order: other, main
    is replaced by force, and an interrupted replacement has left its new one
      ep-main rw gone; ep-new rw b of main; main rw b, by force
      => main: own: ep-new
    is replaced by force, and takes up what an interrupted replacement has left
      ep-main rw gone; ep-new rw b of main; main rw b, takes up, by force
      => main: stays
    is replaced by force, and somebody else has come in its place
      ep-main rw gone; ep-x rw b; main rw b, by force
      => main: occupied: ep-x
    comes from another project to where an interrupted replacement has left its new one
      ep-new rw b of main; main rw q:b > rw b
      => main: own: ep-new
    was taken over, and is replaced by force
      main rw b, released, by force
      => main: released: ep-main
    was taken over, and is replaced by force after somebody has moved it
      ep-main rw c; main rw b, released, by force
      => main: stays
    was taken over as a replica, and is replaced by force beside it
      main ro b, released, by force
      => main: stays
    has another read-write endpoint in its way, and is itself gone from its branch
      ep-main rw c; ep-x rw b; main rw a > rw b
      => main: occupied: ep-x, left a
  `);
});

describe("an endpoint has one owner", () => {
  table(`
    what another resource is about to leave is not adopted before that
      main > rw b1, adopts, done; legacy rw b1 > rw b2
      => main: adopt ep-legacy; legacy: order: legacy, main
    what bears the name of another resource is not adopted at all
      ep-legacy rw b1 of legacy; main > rw b1, adopts; legacy rw b1 > rw b2
      => main: new occupied: ep-legacy of legacy; legacy: move
    after that one has left, there is nothing to adopt
      legacy rw b1 > rw b2, done; main > rw b1, adopts
      => legacy: move; main: create
    two that would stay with one endpoint
      main > rw b, adopts, done; legacy rw b
      => main: adopt ep-legacy; legacy: two owners: main, legacy
    two that have one read-write endpoint in the state
      ep-one rw b; one rw b; two rw b > rw c
      => one: stays; two: two owners: one, two
    what an interrupted run created for the resource is its own, adopted or not
      ep-left rw b of main; main > rw b, adopts
      => main: own: ep-left
    what an interrupted run created is taken up when that is asked for
      ep-left rw b of main; main > rw b, takes up
      => main: adopt ep-left
    a replica that an interrupted run created is taken up when that is asked for, and no other
      ep-other ro b of other; ep-left ro b of main; ep-elsewhere ro c of main; main > ro b, takes up; second > ro b, takes up; other > ro b
      => main: adopt ep-left; second: create; other: create
    one that changes its type takes up what its interrupted replacement has left
      ep-new rw b1 of main; main ro b2 > rw b1, takes up
      => main: adopt ep-new
    only what is of the same type is taken up
      ep-left rw b of main; main > ro b, takes up
      => main: create
    what somebody has moved is not adopted on its new branch
      ep-one rw b3; one rw b1 > rw b2; two > rw b3, adopts
      => one: move; two: new occupied: ep-one of one
    what is nobody's is adopted by a new resource
      ep-x rw b; main > rw b, adopts
      => main: adopt ep-x
    only a new resource adopts
      ep-x rw b; main rw a > rw b, adopts
      => main: occupied: ep-x, leaves a
    what was taken over, and is about to leave, is not adopted before that
      main > rw b, adopts; legacy rw b > rw c, released
      => main: adopt ep-legacy; legacy: order: legacy, main
    what is adopted is not created by a resource that goes with what it depends on
      main > rw b, adopts; legacy rw b, with another
      => main: adopt ep-legacy; legacy: declared twice: main
    what bears its name may be another's by now
      ep-x rw b of main; other rw a, has ep-x; main > rw b
      => other: stays; main: new occupied: ep-x of other
    a replica that bears its name may be another's by now
      ep-x ro b of main; other ro a, has ep-x; main > ro b, takes up
      => other: stays; main: own: ep-x
  `);
});

describe("a primary and its replica move to an empty branch together", () => {
  table(`
    the primary first: the replica is replaced
      primary rw b1 > rw b2, done; replica ro b1 > ro b2
      => primary: move; replica: replace
    without an order, whichever comes second is refused
      primary rw b1 > rw b2; replica ro b1 > ro b2
      => primary: move; replica: order: primary, replica
    without an order, though the step is done, where the host tells
      primary rw b1 > rw b2, after nobody, done; replica ro b1 > ro b2, after nobody
      => primary: move; replica: order: primary, replica
    the replica first: the primary is replaced
      replica ro b1 > ro b2, done; primary rw b1 > rw b2
      => replica: move; primary: replace
  `);
});

describe("arrivals and departures of every type count", () => {
  table(`
    a replica moves to the branch of a new primary
      primary > rw b2, done; replica ro b1 > ro b2
      => primary: create; replica: replace
    a replica moves to the branch of a new primary, without an order
      primary > rw b2; replica ro b1 > ro b2
      => primary: create; replica: order: primary, replica
    a new primary comes without an order to where a replica moves
      replica ro b1 > ro b2; primary > rw b2
      => replica: move; primary: order: primary, replica
    a new primary comes after a replica has moved there
      replica ro b1 > ro b2, done; primary > rw b2
      => replica: move; primary: create
    a primary moves to the branch of a new replica
      replica > ro b2, done; primary rw b1 > rw b2
      => replica: create; primary: replace
    a primary moves to a branch that its replica leaves first
      replica ro b2 > ro b3, done; primary rw b1 > rw b2
      => replica: move; primary: move
    a takeover is an arrival
      ep-x rw b2; primary > rw b2, adopts, done; replica ro b1 > ro b2
      => primary: adopt ep-x; replica: replace
    new replicas need no order
      primary > rw b; one > ro b; two > ro b
      => primary: create; one: create; two: create
  `);
});

describe("an order is asked for only where the result depends on it", () => {
  table(`
    whoever leaves after another was to be replaced because of it
      comer rw b1 > rw b2, after nobody; leaver ro b2 > ro b3, after nobody
      => comer: replace; leaver: order: leaver, comer
    one leaves, and another has come, though not for certain before the first was planned
      comer rw b1 > rw b2; first > ro b2, done before leaver; leaver ro b2 > ro b3
      => comer: replace; first: create; leaver: order: leaver, comer
    whoever comes from another type is replaced in any order
      comer ro b1 > rw b2, after nobody; leaver ro b2 > ro b3, after nobody
      => comer: replace; leaver: move
  `);
});

describe("fleets, and resources beside them", () => {
  table(`
    a member comes to where a resource is that leaves later
      f/a ro b2 > rw b3; two rw b3 > rw b2
      => f/a: occupied: ep-two; two: order: f/a, two
    a member comes where the platform has no moves, to where another fleet's is that goes later
      f/a rw b1 > rw b2, no moves; g/b rw b2, goes
      => f/a: occupied: ep-b; g/b: delete
    two fleets have one endpoint, and let it go
      f/a rw b1, has ep-x, goes, done; g/b rw b1, has ep-x, goes
      => f/a: delete; g/b: two owners: f/a, g/b
    a fleet lets go of what a resource has for certain
      one rw b1; f/a rw b1, has ep-one, goes, after one
      => one: stays; f/a: release
    a fleet lets go of what was taken over, protected or not, and another one has for certain
      f/a ro b1 > ro b3, has ep-x; g/b ro b1, has ep-x, released, protected, goes, after f
      => f/a: update; g/b: release
    a fleet lets go of what another one has, which is replaced, so that nobody would have it
      f/a ro b2 > rw b1; g/b ro b2, has ep-a, goes, after f
      => f/a: replace; g/b: two owners: f/a, g/b
    a fleet deletes what a resource adopts
      one > rw b2, adopts; f/a rw b2, goes
      => one: adopt ep-a; f/a: order: f/a, one
    a fleet deletes what a resource adopts that comes from another project
      one rw q:b2 > rw b2, adopts, with another; f/a rw b2, goes
      => one: adopt ep-a; f/a: order: f/a, one
    a fleet adopts what a resource has
      f/a > rw b1, adopts; one rw b1 > ro b1
      => f/a: adopt ep-one; one: two owners: f/a, one
    what one takes up is in a fleet
      ep-x ro b2 of one; one > ro b2, takes up; f/a ro b2 > rw b3, has ep-x
      => one: adopt ep-x; f/a: two owners: one, f/a
    a member that bears its own name is in its own way, where nobody has taken it up
      ep-x rw b2 of f/a; f/a rw b1 > rw b2
      => f/a: occupied: ep-x
    a member is replaced beside a new replica, whoever else goes
      one > ro b2, done; f/a rw b3 > rw b2; g/b ro b2, goes
      => one: create; f/a: replace; g/b: delete
    a member leaves after a replica was to be replaced because of it
      one ro b3 > ro b1; f/a rw b1 > ro b2; f/b rw b2 > rw b1
      => one: replace; f/a: order: f/a, one; f/b: order: one, f/b
    a member changes its type and leaves room, but for another fleet's replica
      f/a ro b2; g/b rw b2 > ro b1, done; one > rw b2
      => f/a: same; g/b: replace; one: create
    two members change places, and the one that was taken over is not the one to make room
      f/a rw b2 > rw b1, released; f/b rw b1 > rw b2
      => f/a: update; f/b: replace
    a member is replaced where what was taken over stays
      f/a rw b3 > rw b1; f/b ro b1 > rw q:b3, released; f/c > ro b1
      => f/a: replace; f/b: replace; f/c: create
    one that is replaced instead of moved, and stays, is in the way of the next
      f/a ro b1 > ro b2; f/b rw b2 > rw b3, released; f/c ro b3
      => f/a: replace; f/b: replace; f/c: same
    a fleet lets go of what was taken over and is protected, and another one has perhaps
      one ro b; f/a ro b, has ep-one, released, protected, goes
      => one: stays; f/a: protected
    a fleet lets go of what was taken over, and a resource adopts it, in any order
      f/a rw b, released, goes; one > rw b, adopts
      => f/a: release; one: adopt ep-a
    a resource adopts what a fleet lets go of later
      one > rw b, adopts; f/a rw b, released, goes
      => one: adopt ep-a; f/a: release
    only a new resource adopts what a fleet lets go of
      f/a rw b, released, goes; one ro b > rw b, adopts
      => f/a: release; one: left behind: f/a
    what a fleet lets go of is in the way of whoever does not adopt it
      f/a rw b, released, goes; g/b > rw b
      => f/a: release; g/b: new left behind: f/a
    what a fleet took over and replaces elsewhere stays, and is not adopted
      f/a rw b > rw c, released, no moves; one > rw b, adopts
      => f/a: replace; one: new left behind: f/a
    a fleet adopts what another one lets go of after that
      f/a > rw b, adopts, done; g/b rw b, goes
      => f/a: adopt ep-b; g/b: release
    a fleet adopts what another one lets go of, and nobody knows when
      f/a > rw b, adopts; g/b rw b, goes
      => f/a: adopt ep-b; g/b: order: f/a, g/b
    a fleet adopts what another one has taken over, and keeps
      f/a > rw b, adopts; g/b rw b, released
      => f/a: adopt ep-b; g/b: two owners: f/a, g/b
    a fleet takes over a replica on a branch that another one leaves
      ep-x ro b; f/a > ro b, imports ep-x; g/b rw b > rw c
      => f/a: adopt ep-x; g/b: update
    a resource adopts beside a replica of a fleet, where the fleet's read-write endpoint may leave
      f/a ro b; f/b rw b > ?; one > rw b, adopts
      => f/a: same; f/b: update; one: leaves late: f/b
    a member leaves, and another one stays
      one ro b1 > ro b2; f/a rw b2, released; f/b ro b2, goes
      => one: replace; f/a: same; f/b: delete
    a member leaves, and another fleet's stays
      one ro b1 > ro b2; g/a rw b2; f/b ro b2, goes
      => one: replace; g/a: same; f/b: delete
    a member leaves for another one of its fleet, after a replica was to be replaced because of it
      one ro b2 > ro b1; f/a > rw b1; f/b rw b1, goes
      => one: replace; f/a: create; f/b: order: f/b, one
    a member leaves where the platform has no moves, so that nobody else's plan depends on it
      one ro b1 > ro b2, no moves; f/a rw b2, goes, no moves
      => one: replace; f/a: delete
    a member leaves another branch than the one that a replacement comes to
      f/a rw b2 > rw b1, no moves; g/b ro b2, goes
      => f/a: replace; g/b: delete
    two members change places, and the replica is the one to make room
      f/a rw b1 > rw b2; f/b ro b2 > ro b1
      => f/a: update; f/b: replace
    what a member moves is in the state of a resource as well, which is replaced by force
      f/a rw b3 > rw b2; one rw b3, has ep-a, by force
      => f/a: update; one: two owners: f/a, one
    what is on a branch may be what importId will name
      ep-x rw b; f/a > rw b, imports unknown
      => f/a: create
    a fleet takes up before it plans
      ep-x ro b2 of f/a; f/a rw b1 > ro b2, takes up
      => f/a: replace
    a member is replaced where another one changes its type
      f/a rw b2 > ro b2; f/b rw b1 > rw b2
      => f/a: replace; f/b: replace
  `);
});
