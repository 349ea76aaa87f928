// Who may stand where, in tables; how they are read: table.ts.
import { describe } from "vitest";
import { table } from "./table";

describe("a branch is free, or it is in the way", () => {
  table(`
    whoever leaves is in the way of the next of a chain
      aa rw b2 > rw b3; bb rw b1 > rw b2
      => aa: move; bb: :: in the way: ep-aa of aa
    by the name that the endpoint bears, too, where its resource is not met yet
      ep-aa rw b2 of aa; bb rw b1 > rw b2; aa rw b2 > rw b3
      => bb: :: where ep-aa was made for aa; aa: move
    two that exchange their branches
      aa rw b1 > rw b2; bb rw b2 > rw b1
      => aa: :: where unclaimed is: ep-bb; bb: :: exchange: ep-aa of aa, leaves b2
    roles change on one branch
      one rw b > ro b; two ro b > rw b
      => one: replace; two: :: in the way: ep-one of one
    a new one comes to where a primary leaves
      three rw b1 > rw b2; four > rw b1
      => three: move; four: :: in the way: ep-three of three
    what goes to another project is there until the end
      one rw b > ro q:b; two > rw b, adopts
      => one: replace; two: :: in the way: ep-one of one
    a primary leaves, of which nobody knows where it goes
      one rw b > ?; two > rw b
      => one: move; two: :: in the way: ep-one of one
    somebody else's endpoint is in the way of a move
      ep-x rw b1; one rw b3 > rw b1
      => one: :: where unclaimed is: ep-x
    what somebody has moved there bears its resource's name
      ep-one rw b3; one rw b1 > rw b2; two > rw b3, adopts
      => one: move; two: :: in the way: ep-one of one
    what somebody has moved there is in the way of who has gone from its branch
      ep-main rw c; ep-x rw b; main rw a > rw b
      => main: :: where unclaimed is: ep-x
    two are declared on one branch, and one of them would move there
      one rw a > rw b; two > rw b
      => one: move; two: :: declared twice: one
    two are declared on one branch that is empty
      one > rw b; two > rw b
      => one: create; two: :: declared twice: one
  `);
});

describe("the kind of a change follows from program and configuration", () => {
  table(`
    a primary moves
      main rw a > rw b
      => main: move
    a replica is replaced
      main ro a > ro b
      => main: replace
    a primary moves, nobody knows where
      main rw a > ?
      => main: move
    a replica is replaced, nobody knows where to
      main ro a > ?
      => main: replace
    a primary is replaced where that is configured
      main rw a > rw b, no moves
      => main: replace
    a primary was moved already, and a replica has come since
      ep-main rw b of main; ep-x ro b; main rw a > rw b
      => main: move
    a replica stands where a primary would move
      ep-x ro b; main rw a > rw b
      => main: :: not empty: ep-x, leaves a
    a replica stands there, where the platform allows it
      ep-x ro b; main rw a > rw b, no rw
      => main: move
    a replica stands there, and moves are replacements
      ep-x ro b; main rw a > rw b, no moves
      => main: replace
    a replica leaves the branch where a primary would move
      replica ro b2 > ro b3; primary rw b1 > rw b2
      => replica: replace; primary: :: not empty: ep-replica, leaves b1
    a primary and its replica go together
      primary rw b1 > rw b2; replica ro b1 > ro b2
      => primary: move; replica: replace
  `);
});

describe("a replacement of what is there", () => {
  table(`
    by an option
      main rw b, by force
      => main: replace
    of what bears its name, as all do that are created for it
      ep-main rw b of main; main rw b, by force, takes up
      => main: replace
    of what was taken over, which stays in its own way
      main rw b, released, by force
      => main: :: released: ep-main
    of what was taken over, after somebody has moved it
      ep-main rw c; main rw b, released, by force
      => main: replace
    of a replica that was taken over
      main ro b, released, by force
      => main: replace
    where an interrupted one has left its new endpoint
      ep-main rw gone; ep-new rw b of main; main rw b, by force
      => main: :: own: ep-new
    which takes up what an interrupted one has left
      ep-main rw gone; ep-new rw b of main; main rw b, takes up, by force
      => main: adopt ep-new
    where somebody else has come in its place
      ep-main rw gone; ep-x rw b; main rw b, by force
      => main: :: where unclaimed is: ep-x
    without a comparison, which does not tell its own endpoint: that on its branch is it
      main rw b, no diff
      => main: replace
    without one, where somebody else has come to another branch
      ep-x rw b2; main rw b1 > rw b2, no diff
      => main: :: where unclaimed is: ep-x
    without one, of a replica
      ep-x rw b; main ro b > rw b, no diff
      => main: :: where unclaimed is: ep-x
    from another project, to where an interrupted one has left its new endpoint
      ep-new rw b of main; main rw q:b > rw b
      => main: :: own: ep-new
    by its type, which takes up what an interrupted one has left
      ep-new rw b1 of main; main ro b2 > rw b1, takes up
      => main: adopt ep-new
  `);
});

describe("an endpoint has one owner", () => {
  table(`
    what nobody has is adopted by a new resource
      ep-x rw b; main > rw b, adopts
      => main: adopt ep-x
    only a new resource adopts
      ep-x rw b; main rw a > rw b, adopts
      => main: :: where unclaimed is: ep-x
    what bears the name of another resource is not adopted
      ep-legacy rw b1 of legacy; main > rw b1, adopts; legacy rw b1 > rw b2
      => main: :: new where ep-legacy was made for legacy; legacy: move
    what another one has is not adopted, even if that one leaves
      main > rw b1, adopts; legacy rw b1 > rw b2
      => main: adopt ep-legacy; legacy: :: taken by main
    nor if it was taken over
      main > rw b, adopts; legacy rw b > rw c, released
      => main: adopt ep-legacy; legacy: :: taken by main
    two have one endpoint in the state
      one rw b; two rw b > rw c, has ep-one
      => one: same; two: :: also of one
    what bears its own name is refused
      ep-left rw b of main; main > rw b, adopts
      => main: :: own: ep-left
    and taken up where that is asked for
      ep-left rw b of main; main > rw b, takes up
      => main: adopt ep-left
    a replica is taken up where that is asked for, and no other
      ep-other ro b of other; ep-left ro b of main; ep-elsewhere ro c of main; main > ro b, takes up; second > ro b, takes up; other > ro b
      => main: adopt ep-left; second: create; other: create, tells of ep-other
    only what is of the same type is taken up
      ep-left rw b of main; main > ro b, takes up
      => main: create
    what bears its name may be another's by now
      ep-x rw b of main; other rw a, has ep-x; main > rw b
      => other: same; main: :: in the way: ep-x of other
    a replica that bears its name may be another's by now
      ep-x ro b of main; other ro a, has ep-x; main > ro b, takes up
      => other: same; main: :: own, of other: ep-x
  `);
});

describe("fleets, and resources beside them", () => {
  table(`
    a fleet orders a chain of its members
      f/a rw b2 > rw b3; f/b rw b1 > rw b2
      => f/a: move; f/b: move
    a member comes where another one of its fleet is deleted
      f/a rw b1, goes; f/b > rw b1
      => f/a: delete; f/b: create
    a member comes where another one stays
      f/a rw c > rw b; f/b rw b
      => f/a: :: declared twice: f/b; f/b: same
    two members come to one branch
      f/a > rw b; f/b > rw b
      => f/a: create; f/b: :: declared twice: f/a
    a member comes where another one takes over what is there
      ep-x rw b; f/a > rw b; f/b > rw b, imports ep-x
      => f/a: :: declared twice: f/b; f/b: adopt ep-x
    a member comes where another one changes its type
      f/a rw b2 > ro b2; f/b rw b1 > rw b2
      => f/a: replace; f/b: move
    two members exchange their branches
      f/a rw b2 > rw b1; f/b rw b1 > rw b2
      => f/a: :: circle; f/b: :: circle
    two exchange theirs where a replica of one branch goes
      f/a ro b2, goes; f/b rw b1 > rw b2; f/c rw b2 > rw b1
      => f/a: delete; f/b: :: circle; f/c: :: circle
    a primary and a replica exchange theirs
      f/a rw b1 > rw b2; f/b ro b2 > ro b1
      => f/a: move; f/b: replace
    a member moves to where another one's replica stays
      f/a rw b1 > rw b2; f/b ro b2
      => f/a: :: not empty: ep-b, leaves b1; f/b: same
    a member moves to where another one lets its endpoint go
      f/a rw b1 > rw b2; f/b rw b2, released, goes
      => f/a: :: left behind: f/b; f/b: release
    a chain over two fleets
      f/a rw b2 > rw b3; g/b rw b1 > rw b2
      => f/a: move; g/b: :: in the way: ep-a of f/a
    a member comes to where a resource leaves
      two rw b3 > rw b2; f/a rw b2 > rw b3
      => two: :: where unclaimed is: ep-a; f/a: :: exchange: ep-two of two, leaves b2
    two fleets have one endpoint, and let it go
      f/a rw b1, has ep-x, goes; g/b rw b1, has ep-x, goes
      => f/a: delete; g/b: :: also of f/a
    a fleet lets go of what a resource has
      one rw b1; f/a rw b1, has ep-one, goes
      => one: same; f/a: :: also of one
    a fleet lets go of what another one has, which is replaced
      f/a ro b2 > rw b1; g/b ro b2, has ep-a, goes
      => f/a: replace; g/b: :: also of f/a
    a fleet lets go of what was taken over and is protected
      f/a ro b, released, protected, goes
      => f/a: :: protected, deleted
    a fleet deletes what a resource adopts
      one > rw b2, adopts; f/a rw b2, goes
      => one: adopt ep-a; f/a: :: taken by one
    a fleet adopts what a resource has
      f/a > rw b1, adopts; one rw b1 > ro b1
      => f/a: adopt ep-one; one: :: taken by f/a
    a fleet adopts what another one lets go of
      f/a > rw b, adopts; g/b rw b, goes
      => f/a: adopt ep-b; g/b: :: taken by f/a
    a fleet adopts what another one has taken over, and keeps
      f/a > rw b, adopts; g/b rw b, released
      => f/a: adopt ep-b; g/b: :: taken by f/a
    what one takes up is in a fleet
      ep-x ro b2 of one; one > ro b2, takes up; f/a ro b2 > rw b3, has ep-x
      => one: adopt ep-x; f/a: :: taken by one
    a resource adopts what a fleet had taken over and lets go of
      f/a rw b, released, goes; one > rw b, adopts
      => f/a: release; one: adopt ep-a
    what a fleet lets go of is in the way of whoever does not adopt it
      f/a rw b, released, goes; g/b > rw b
      => f/a: release; g/b: :: new where nobody's is: ep-a
    what a fleet took over and replaces elsewhere is still its own
      f/a rw b > rw c, released, no moves; one > rw b, adopts
      => f/a: replace; one: :: in the way: ep-a of f/a
    a fleet asks by importId for what leaves another one
      f/a rw b, goes; f/c rw d; g/x > rw b, imports ep-a
      => f/a: delete; f/c: same; g/x: :: in the way: ep-a of f/a
    a fleet takes over a replica on a branch that another one leaves
      ep-x ro b; f/a > ro b, imports ep-x; g/b rw b > rw c
      => f/a: adopt ep-x; g/b: move
    a member bears its own name, and nobody has taken that up
      ep-x rw b2 of f/a; f/a rw b1 > rw b2
      => f/a: :: where unclaimed is: ep-x
    what a member moves is in the state of a resource as well
      f/a rw b3 > rw b2; one rw b3, has ep-a, by force
      => f/a: move; one: :: also of f/a
    what is on a branch may be what importId will name
      ep-x rw b; f/a > rw b, imports unknown
      => f/a: create
    a protected replica, of which nobody knows where it goes
      f/a ro b > ?, protected
      => f/a: :: protected, replaced
  `);
});
