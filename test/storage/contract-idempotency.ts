import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { IdempotencyRecord, StoredReply } from "#core/idempotency.ts";
import type { CallOutcome } from "#core/call.ts";
import { aTask, holdFor, newId, openAt, recordOf, withKey, type Place } from "./contract-place.ts";
import { createIdempotencyStore } from "#storage/journal/idempotency.ts";
import type { Storage } from "#storage/open.ts";

const HOUR_MS = 3_600_000;
const CLAIMED = { kind: "claimed" } as const;

/** What both databases promise of requests that are sent again. */
export function describeKeptAnswers(openPlace: () => Promise<Place>): void {
  test("if many requests claim a key at once, one gets it", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);

    const results = await Promise.all(
      Array.from({ length: 50 }, () => storage.keptAnswers.claim(claim({ callId: newId() }))),
    );

    const kinds = results.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "claimed").length).toBe(1);
    expect(kinds.filter((kind) => kind === "running").length).toBe(49);
  });

  test("a repeated request gets the same response, byte for byte", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const { keptAnswers } = storage;
    const first = claim();
    await keptAnswers.claim(first);

    await keptAnswers.keep(first, ANSWER, first.at + HOUR_MS);

    expect(await keptAnswers.claim(claim({ callId: newId() }))).toEqual({
      kind: "done",
      callId: first.callId,
      answer: ANSWER,
    });
    expect(await keptAnswers.claim(claim({ question: "another" }))).toEqual({
      kind: "other_question",
    });
    expect(await keptAnswers.claim(claim({ id: "another" }))).toEqual(CLAIMED);
  });

  test("a response too long to store is recorded as given", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const first = claim();
    await storage.keptAnswers.claim(first);

    await storage.keptAnswers.keep(first, undefined, first.at + HOUR_MS);

    expect(await storage.keptAnswers.claim(claim({ callId: newId() }))).toEqual({
      kind: "done",
      callId: first.callId,
      answer: undefined,
    });
  });

  test("a different request with the same key is refused while the first one runs", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    await storage.keptAnswers.claim(claim());

    const result = await storage.keptAnswers.claim(claim({ question: "another" }));

    expect(result).toEqual({ kind: "other_question" });
  });

  test("a released key can be claimed again, and late writes of its first call change nothing", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const { keptAnswers } = storage;
    const first = claim();
    const second = claim({ callId: newId(), question: "another" });
    await keptAnswers.claim(first);

    await keptAnswers.release(first);
    expect(await keptAnswers.claim(second)).toEqual(CLAIMED);
    await keptAnswers.release(first);
    await keptAnswers.keep(first, ANSWER, first.at + HOUR_MS);

    expect(await keptAnswers.claim({ ...second, callId: newId() })).toEqual({ kind: "running" });
  });

  test("a stored response cannot be released", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const first = claim();
    await storage.keptAnswers.claim(first);
    await storage.keptAnswers.keep(first, ANSWER, first.at + HOUR_MS);

    await storage.keptAnswers.release(first);

    expect((await storage.keptAnswers.claim(claim({ callId: newId() }))).kind).toBe("done");
  });

  test("a claim of a dead gateway is given to one of the retries", async () => {
    await using place = await openPlace();
    await leaveClaimed(place);
    await using storage = await openAt(place.address);

    const results = await Promise.all(
      Array.from({ length: 20 }, () => storage.keptAnswers.claim(claim({ callId: newId() }))),
    );

    expect(results.filter(({ kind }) => kind === "claimed").length).toBe(1);
    expect(results.filter(({ kind }) => kind === "running").length).toBe(19);
  });

  test("a call charged before its gateway died is not charged again", async () => {
    await using place = await openPlace();
    const callId = await leaveClaimed(place, "completed");
    await using storage = await openAt(place.address);

    const result = await storage.keptAnswers.claim(claim({ callId: newId() }));

    expect(result).toEqual({ kind: "done", callId, answer: undefined });
  });

  test("a video accepted by a dead gateway is not requested again unless it failed", async () => {
    await using place = await openPlace();
    const callId = await leaveClaimed(place);
    await using storage = await openAt(place.address);
    await storage.tasks.create(aTask({ id: callId }), "one", HOUR_MS);

    expect(await storage.keptAnswers.claim(claim({ callId: newId() }))).toEqual({
      kind: "done",
      callId,
      answer: undefined,
    });
    await close(storage, callId, "failed");
    expect(await storage.keptAnswers.claim(claim({ callId: newId() }))).toEqual(CLAIMED);
  });

  test("a stream interrupted by a crash is not stored as a response", async () => {
    await using place = await openPlace();
    await leaveClaimed(place, "interrupted");
    await using storage = await openAt(place.address);

    expect(await storage.keptAnswers.claim(claim({ callId: newId() }))).toEqual(CLAIMED);
  });

  test("a response stored during a takeover of its key is kept", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const first = claim();
    await storage.keptAnswers.claim(first);
    // A gateway that was taken for dead, and was only slow.
    const rival = createIdempotencyStore({
      db: storage.db,
      instance: "rival",
      async isAlive() {
        await storage.keptAnswers.keep(first, ANSWER, first.at + HOUR_MS);
        return false;
      },
    });

    expect(await rival.claim(claim({ callId: newId() }))).toEqual({
      kind: "done",
      callId: first.callId,
      answer: ANSWER,
    });
  });

  test("a failed call releases its key, even if the release could not be written", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const first = claim({ callId: newId() });
    await storage.keptAnswers.claim(first);
    expect((await storage.keptAnswers.claim(claim({ callId: newId() }))).kind).toBe("running");

    await close(storage, first.callId, "failed");

    expect(await storage.keptAnswers.claim(claim({ callId: newId() }))).toEqual(CLAIMED);
  });

  test("a claim ends with the last deadline of its call", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const first = claim();
    await storage.keptAnswers.claim(first);

    const before = claim({ callId: newId(), at: first.endsBy - 1 });
    const after = claim({ callId: newId(), at: first.endsBy + 1, endsBy: first.endsBy + HOUR_MS });

    expect(await storage.keptAnswers.claim(before)).toEqual({ kind: "running" });
    expect(await storage.keptAnswers.claim(after)).toEqual(CLAIMED);
  });

  test("a user above the storage limit loses the oldest responses, but not the record that they were given", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const { keptAnswers } = storage;
    // Noise is not made smaller by being compressed.
    const answer = { ...ANSWER, body: Buffer.from(randomBytes(1_000)) };
    for (const [at, id] of ["a", "b", "c", "d"].entries()) {
      const each = claim({ id, callId: id });
      await keptAnswers.claim(each);
      await keptAnswers.keep(each, answer, each.at + HOUR_MS + at);
    }
    const kept = async (id: string): Promise<StoredReply | undefined> => {
      const result = await keptAnswers.claim(claim({ id }));
      expect(result).toMatchObject({ kind: "done", callId: id });
      return result.kind === "done" ? result.answer : undefined;
    };

    expect(await keptAnswers.trim(4_200)).toBe(0);
    expect(await keptAnswers.trim(2_500)).toBe(2);
    expect(await keptAnswers.trim(2_500)).toBe(0);

    expect([await kept("a"), await kept("b")]).toEqual([undefined, undefined]);
    expect([await kept("c"), await kept("d")]).toEqual([answer, answer]);
  });

  test("an expired response is not returned, before its deletion and after", async () => {
    await using place = await openPlace();
    await using storage = await openWithOwner(place);
    const { keptAnswers } = storage;
    for (const id of ["a", "b", "c"]) {
      const each = claim({ id });
      await keptAnswers.claim(each);
      await keptAnswers.keep(each, ANSWER, each.at + (id === "c" ? 2 : 1) * HOUR_MS);
    }
    const later = claim().at + HOUR_MS;

    const anew = claim({ id: "a", callId: newId(), at: later, endsBy: later + HOUR_MS });
    expect(await keptAnswers.claim(anew)).toEqual(CLAIMED);
    await keptAnswers.keep(anew, ANSWER, later);

    expect(await keptAnswers.prune(later + 1, 1)).toBe(1);
    expect(await keptAnswers.prune(later + 1, 100)).toBe(1);
    expect(await keptAnswers.prune(later + 1, 100)).toBe(0);
    expect((await keptAnswers.claim(claim({ id: "c" }))).kind).toBe("done");
  });
}

const ANSWER: StoredReply = {
  status: 200,
  headers: { "content-type": "text/event-stream", "sluice-lossy": "user" },
  body: Buffer.from(Array.from({ length: 1_000 }, (_, i) => (i * 7) % 256)),
};

function claim(more: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  const at = 1_800_000_000_000;
  return {
    id: "one",
    userId: 1,
    question: "what?",
    callId: "call-1",
    at,
    endsBy: at + HOUR_MS,
    ...more,
  };
}

/** The root user's id is 1. */
async function openWithOwner(place: Place): Promise<Storage> {
  const storage = await openAt(place.address);
  await storage.users.ensureRoot();
  return storage;
}

/** A gateway that claims, closes its call or not, and is gone. */
async function leaveClaimed(place: Place, outcome?: CallOutcome): Promise<string> {
  await using storage = await openWithOwner(place);
  const callId = newId();
  await storage.keptAnswers.claim(claim({ callId }));
  if (outcome !== undefined) await close(storage, callId, outcome);
  return callId;
}

async function close(storage: Storage, callId: string, outcome: CallOutcome): Promise<void> {
  const accounts = await withKey(storage);
  await storage.ledger.hold(holdFor(accounts, 100, callId));
  await storage.ledger.void(callId, { ...recordOf(callId), outcome });
}
