import { expect, test } from "bun:test";
import type { StoredResponse } from "#core/responses.ts";
import type { Storage } from "#storage/open.ts";
import { openAt, type Place } from "./contract-place.ts";

const SOMEBODY_ELSE = 999;

/** What both databases promise of kept responses. */
export function describeResponses(openPlace: () => Promise<Place>): void {
  test("a response is read as stored, by its owner only", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const kept = turn("resp_1", { input: ["Grüße 👋", { role: "user", content: null }] });

    await storage.responses.save(kept);

    expect(await storage.responses.find(1, "resp_1")).toEqual(kept);
    expect(await storage.responses.find(SOMEBODY_ELSE, "resp_1")).toBeUndefined();
    expect(await storage.responses.find(1, "resp_2")).toBeUndefined();
  });

  test("a response id that no text column can hold is not found", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);

    expect(await storage.responses.find(1, "resp_\0")).toBeUndefined();
    expect(await storage.tasks.find(1, "\0")).toBeUndefined();
    expect(await storage.logins.checkPassword("somebody\0", "a password")).toBeUndefined();
  });

  test("a conversation is read from its first turn to its last", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const turns = [turn("a"), turn("b", { previousId: "a" }), turn("c", { previousId: "b" })];
    for (const each of turns) await storage.responses.save(each);

    expect(await storage.responses.findConversation(1, "c", 10_000)).toEqual(turns);
    expect(await storage.responses.findConversation(SOMEBODY_ELSE, "c", 10_000)).toBeUndefined();

    await storage.responses.delete(1, "a");
    expect(await storage.responses.findConversation(1, "c", 10_000)).toBeUndefined();
  });

  test("reading stops at a conversation that exceeds the size limit", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const input = ["x".repeat(1_000)];
    await storage.responses.save(turn("a", { input }));
    await storage.responses.save(turn("b", { input, previousId: "a" }));

    const reading = storage.responses.findConversation(1, "b", 1_500).catch(String);

    expect(await reading).toContain("too long");
    expect(await storage.responses.findConversation(1, "b", 5_000)).toHaveLength(2);
  });

  test("an output item is found by its own id, by its owner only", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const item = { id: "msg_1", type: "message", content: [] };
    await storage.responses.save(turn("a", { response: { output: [item, { type: "no-id" }] } }));

    expect(await storage.responses.findItems(1, ["msg_1", "msg_2"], 10_000)).toEqual(
      new Map([["msg_1", item]]),
    );
    expect(await storage.responses.findItems(SOMEBODY_ELSE, ["msg_1"], 10_000)).toEqual(new Map());
    expect(await storage.responses.findItems(1, [], 10_000)).toEqual(new Map());
  });

  test("items of responses above the size limit are not read", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    for (const id of ["a", "b"]) {
      const output = [{ id: `msg_${id}`, text: "x".repeat(1_000) }];
      await storage.responses.save(turn(id, { response: { output } }));
    }

    const reading = storage.responses.findItems(1, ["msg_a", "msg_b"], 1_500).catch(String);

    expect(await reading).toContain("too long");
    expect((await storage.responses.findItems(1, ["msg_a"], 1_500)).size).toBe(1);
  });

  test("a deleted response is removed with its items, by its owner only", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    await storage.responses.save(turn("a", { response: { output: [{ id: "msg_1" }] } }));

    expect(await storage.responses.delete(SOMEBODY_ELSE, "a")).toBe(false);
    expect(await storage.responses.delete(1, "a")).toBe(true);
    expect(await storage.responses.delete(1, "a")).toBe(false);
    expect(await storage.responses.find(1, "a")).toBeUndefined();
    expect(await storage.responses.findItems(1, ["msg_1"], 10_000)).toEqual(new Map());
  });

  test("[A4.4] expired responses are deleted in batches of limited size", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    for (const [id, createdAt] of [
      ["a", 10],
      ["b", 20],
      ["c", 30],
    ] as const) {
      await storage.responses.save(turn(id, { createdAt }));
    }

    expect(await storage.responses.prune(25, 1)).toBe(1);
    expect(await storage.responses.prune(25, 100)).toBe(1);
    expect(await storage.responses.find(1, "c")).toBeDefined();
  });
}

/** The root user's id is 1. */
async function openWithOwner(place: Place): Promise<Storage> {
  const storage = await openAt(place.address);
  await storage.users.ensureRoot();
  return storage;
}

function turn(id: string, more: Partial<StoredResponse> = {}): StoredResponse {
  return { id, userId: 1, createdAt: 1, input: [], response: { id, output: [] }, ...more };
}
