/** Tests takeovers that only single endpoints have; those of members too: tests/provider/fleet/takeovers.test.ts. */
import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor } from "../../../provider/lib/owner";
import { justBefore, type Run, useMain } from "../../engine-model/stack";
import { type Api, accountOver } from "../../support/bench";
import { urnOf } from "../../support/call-context";

/** A program that would take over what is on its branch. */
async function useThere(seed: object = {}) {
  const used = await useMain();
  const there = used.admin.seedEndpoint(used.projectId, { branch_id: used.branchId, ...seed });
  return { ...used, there, id: there.id, main: (more: object = {}) => used.main({ adoptExisting: true, ...more }) };
}

describe("create by taking over", () => {
  it("has a preview that shows the outputs of what it takes over", async () => {
    const { stack, main, there, id } = await useThere();
    expect((await stack.preview(main())).outputs).toMatchObject({ host: there.host, endpointId: id });
  });

  it.each(["gone", "moved away"])("creates one where only an old list still shows one, which is %s", async (how) => {
    const { bench, stack, admin, main, branch, branchId, idsOn, id } = await useThere();
    const beforeStep = justBefore("create", () => {
      if (how === "gone") admin.dropEndpoint(id);
      else admin.changeEndpoint(id, { branch_id: branch() });
      return bench.clock.sleep(1);
    });
    expect((await stack.up(main(), { beforeStep })).messages).toEqual([]);
    expect(stack.ids().main).not.toBe(id);
    expect(idsOn(branchId)).toEqual([stack.ids().main]);
  });

  it.each(["before it is asked for", "while it is asked for"])(
    "leaves alone what the run has come to know as another resource's %s",
    async (when) => {
      const { bench, stack, main, id, branch, projectId } = await useThere();
      // Somebody else has moved it here since the preview, and the platform shows no names.
      const account = bench.account();
      const isBefore = when === "before it is asked for";
      const getEndpoint: Api["getEndpoint"] = async (...asked) => {
        const found = await account.api.getEndpoint(...asked);
        if (!isBefore) await meet();
        return found;
      };
      const process = stack.process({ account: accountOver({ ...account.api, getEndpoint }, account) });
      const inputs = { projectId, branchId: branch(), type: "read_write" };
      const kept = { urn: urnOf("owner"), id: `${projectId}/${id}`, oldInputs: inputs, inputs, ignoreChanges: [] };
      const meet = async () => {
        await process.provider.check({ urn: kept.urn, olds: inputs, news: inputs });
        await process.provider.diff({ ...kept, oldOutputs: { ...inputs, endpointId: id } });
      };
      const beforeStep = justBefore("create", () => isBefore && meet());
      const { error } = await stack.up(main(), { process, beforeStep });
      expect(error?.message).toContain(id);
      expect(error?.message).toContain("owner");
      expect(stack.ids()).toEqual({});
    },
  );
});

describe("a replica that an interrupted run left", () => {
  const type = "read_only";
  const named = ({ said }: Run) => said.filter((line) => line.includes("endpoints delete"));

  /** A program of a replica, on a branch where runs that were killed have left some that bear a resource's name. */
  async function useLeft() {
    const used = await useMain();
    const { admin, projectId, branchId } = used;
    return {
      ...used,
      leave: (owner = "main") => {
        const name = newOwnershipName(madeFor(urnOf(owner)));
        return admin.seedEndpoint(projectId, { branch_id: branchId, type, name }).id;
      },
      naming: (id: string) =>
        expect.stringMatching(`\\n +npx --no-install pgcompute endpoints delete ${projectId}/${id}`),
    };
  }

  it.each([false, true])("is named, and the program goes on (adoptInterrupted: %s)", async (adoptInterrupted) => {
    const { stack, main, leave, naming } = await useLeft();
    const id = leave();
    stack.settings = { adoptInterrupted };
    const run = await stack.preview(main({ type }));
    expect(run.messages).toEqual([]);
    expect(named(run)).toEqual(adoptInterrupted ? [] : [naming(id)]);
  });

  it("is no longer named once the state has it, by a change or a replacement either", async () => {
    const { stack, main, leave } = await useLeft();
    const id = leave();
    await stack.up(main({ type }), { adoptInterrupted: true });
    expect(stack.ids().main).toBe(id);
    const { main: resized } = main({ type, sizeCu: 2 });
    for (const replaceOnChanges of [[], ["sizeCu"]]) {
      const run = await stack.preview({ main: { ...resized, replaceOnChanges } });
      expect([run.messages, named(run)]).toEqual([[], []]);
    }
  });

  it("is named by a comparison of a resource that has its own, which changes nothing", async () => {
    const { bench, stack, main, leave, naming } = await useLeft();
    await stack.up(main({ type }));
    expect((await stack.preview(main({ type }))).said).toEqual([]);
    await bench.clock.pass(60_000);
    leave("other");
    const left = leave();
    expect(await stack.preview(main({ type }))).toMatchObject({ isChanged: false, said: [naming(left)] });
  });
});

it("a branch that is taken is looked at again before that is refused, for somebody may have made room", async () => {
  const { bench, stack, main, admin, projectId, branchId } = await useMain();
  const { id } = admin.seedEndpoint(projectId, { branch_id: branchId, name: "by-hand" });
  const process = stack.process();
  expect((await stack.preview(main(), { process })).messages).toHaveLength(1);
  admin.dropEndpoint(id);
  await bench.clock.pass(20_000);
  expect((await stack.preview(main(), { process })).messages).toEqual([]);
});

it("a takeover is foretold with what it does, and refused where that would wait for an idle moment for ever", async () => {
  const { stack, projectId, main, id } = await useThere({ suspend_timeout_seconds: -1 });
  const { messages } = await stack.preview(main({ sizeCu: 2, restartWhen: "idle" }));
  expect(messages).toEqual([expect.stringMatching(`^restartWhen: .*${id} never suspends as it is now`)]);
  const { rows } = await stack.preview(main({ sizeCu: 2 }));
  const warned = rows.filter(({ level }) => level === "warn");
  expect(warned.map(({ message }) => message)).toEqual([
    expect.stringMatching(`^takes over endpoint ${projectId}/${id}; restarts`),
  ]);
});
