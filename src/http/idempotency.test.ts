import { afterEach, describe, expect, jest, test } from "bun:test";
import type { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type {
  IdempotencyRecord,
  IdempotencyResult,
  StoredReply,
  IdempotencyStore,
} from "#core/idempotency.ts";
import { Form } from "#lib/form.ts";
import { Pieces, type Body } from "#lib/pieces.ts";
import type { Sink } from "#lib/push-stream.ts";
import { withIdempotency, type IdempotencyDeps } from "./idempotency.ts";
import type { Reply } from "./reply.ts";
import type { Exchange } from "./routes.ts";

const KEY: ApiKey = { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: [] };
const WHOLE: Reply = { kind: "whole", headers: { "content-type": "text/plain" }, body: "answer" };

afterEach(() => void jest.useRealTimers());

interface Sent {
  /** The Idempotency-Key; null for a request without. */
  readonly idempotencyKey?: string | null;
  readonly path?: string;
  readonly method?: string;
  readonly userId?: number;
}

function exchangeWith(
  signal = new AbortController().signal,
  { idempotencyKey = "one", path = "/v1/x", method = "POST", userId = 1 }: Sent = {},
): Exchange {
  const headers: Record<string, string> =
    idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey };
  return {
    request: new Request(`http://gate${path}`, { method, headers }),
    id: "call-1",
    key: { ...KEY, userId },
    user: undefined,
    accessToken: undefined,
    family: undefined,
    client: { address: undefined, isSecure: false },
    signal,
    param: () => "",
    query: new URLSearchParams(),
    readJson: () => Promise.reject(new Error("It was read before.")),
    readPlacedJson: () => Promise.reject(new Error("It was read before.")),
    suspendIdleTimeout: () => ({ [Symbol.dispose]() {} }),
    setStall() {},
    identify() {},
    note() {},
    readBytes: () => Promise.reject(new Error("They were read before.")),
    readForm: () => Promise.reject(new Error("There is none.")),
    readYaml: () => Promise.reject(new Error("There is none.")),
    upgrade: () => new Response(null),
    announce() {},
    takeAnnounced: () => undefined,
    onFailure() {},
    announceCharge: () => undefined,
    chosenFacts: () => [],
  };
}

/** A store that notes what it is asked, and does what the test says. */
function stage(more: Partial<IdempotencyStore> = {}) {
  const seen: string[] = [];
  const claims: IdempotencyRecord[] = [];
  const kept: Kept[] = [];
  const errors: GatewayError[] = [];
  const keptAnswers: IdempotencyStore = {
    async claim(claim): Promise<IdempotencyResult> {
      claims.push(claim);
      return { kind: "claimed" };
    },
    async keep(_, answer, expiresAt) {
      seen.push(`keep ${Buffer.from(answer?.body ?? []).toString()}`);
      kept.push({ answer, expiresAt });
    },
    release: async () => void seen.push("release"),
    prune: async () => 0,
    trim: async () => 0,
    ...more,
  };
  const deps: IdempotencyDeps = {
    keptAnswers,
    contentLog: { levelFor: () => "off", open: () => expect.unreachable() },
    clock: { now: () => NOW, monotonic: () => 0 },
    limits: { keptAnswerBytes: 1_000, totalMs: 600_000 },
    onError: (error) => void errors.push(error),
  };
  return { seen, claims, kept, errors, deps };
}

interface Kept {
  readonly answer: StoredReply | undefined;
  readonly expiresAt: number;
}

const NOW = 1_000_000;

const broken = (): Promise<never> => Promise.reject(new Error("The disk is full."));

describe("a failing database", () => {
  test("refuses new requests, since repeated ones could not be recognised", async () => {
    const { deps } = stage({ claim: broken });
    let isAsked = false;

    const refused = await withIdempotency(exchangeWith(), "?", deps, async () => {
      isAsked = true;
      return WHOLE;
    }).catch((cause: unknown) => cause);

    expect(refused).toMatchObject({ code: "unavailable" });
    expect(String(refused)).not.toContain("disk");
    expect(isAsked).toBe(false);
  });

  test("does not withhold a charged response from its client", async () => {
    const { deps, errors } = stage({ keep: broken });

    const answer = await withIdempotency(exchangeWith(), "?", deps, async () => WHOLE);

    expect(await answer.text()).toBe("answer");
    expect(errors).toMatchObject([{ code: "internal", cause: { message: "The disk is full." } }]);
  });

  test("does not hide the original error", async () => {
    const { deps, errors } = stage({ release: broken });

    const failure = await withIdempotency(exchangeWith(), "?", deps, async () => {
      throw new Error("What really failed.");
    }).catch((cause: unknown) => cause);

    expect(String(failure)).toContain("What really failed.");
    expect(errors.length).toBe(1);
  });

  test("that does not respond delays a response for at most five seconds", async () => {
    jest.useFakeTimers();
    const { deps } = stage({ keep: () => new Promise(() => {}) });
    let isHere = false;

    const answer = withIdempotency(exchangeWith(), "?", deps, async () => WHOLE);
    void answer.then(() => (isHere = true));

    await pass(4_999);
    expect(isHere).toBe(false);
    await pass(1);
    expect(isHere).toBe(true);
    expect(await (await answer).text()).toBe("answer");
  });

  test("that responds leaves no pending work", async () => {
    jest.useFakeTimers();
    const { deps } = stage();

    await withIdempotency(exchangeWith(), "?", deps, async () => WHOLE);

    expect(jest.getTimerCount()).toBe(0);
  });
});

/** Time goes by, and what waited for it goes on. */
async function pass(ms: number): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

describe("a client that disconnects before a stream is sent", () => {
  const STREAM: Reply = { kind: "stream", headers: {}, fill: async () => true };

  test("releases the idempotency key", async () => {
    const { deps, seen } = stage();
    const leaving = new AbortController();
    await withIdempotency(exchangeWith(leaving.signal), "?", deps, async () => STREAM);
    expect(seen).toEqual([]);

    leaving.abort();
    expect(seen).toEqual(["release"]);
  });

  test("releases it also if nothing was ready to be sent", async () => {
    const { deps, seen } = stage();

    await withIdempotency(exchangeWith(AbortSignal.abort()), "?", deps, async () => STREAM);

    expect(seen).toEqual(["release"]);
  });
});

test("a client that disconnects after the whole stream was sent counts as answered", async () => {
  const { deps, seen } = stage();
  const leaving = new AbortController();
  const answer = await withIdempotency(exchangeWith(leaving.signal), "?", deps, async () => ({
    kind: "stream",
    headers: {},
    async fill(sink) {
      await sink.write("all of it");
      return true;
    },
  }));

  expect(await answer.text()).toBe("all of it");
  leaving.abort();
  expect(seen).toEqual(["keep all of it"]);
});

describe("a request", () => {
  test("without an Idempotency-Key causes no query", async () => {
    const { deps, claims, seen } = stage();

    const answer = await withIdempotency(
      exchangeWith(undefined, { idempotencyKey: null }),
      "?",
      deps,
      async () => WHOLE,
    );

    expect(await answer.text()).toBe("answer");
    expect([claims, seen]).toEqual([[], []]);
  });

  test.each(["", "a b", "\u00e9", "x".repeat(256)])(
    "with an Idempotency-Key that is not 1 to 255 visible characters is refused: %j",
    async (idempotencyKey) => {
      const { deps, claims } = stage();

      const refused = await failureOf(
        withIdempotency(exchangeWith(undefined, { idempotencyKey }), "?", deps, async () => WHOLE),
      );

      expect(refused).toMatchObject({ code: "invalid_request", param: "Idempotency-Key" });
      expect(claims).toEqual([]);
    },
  );

  test("that is still running is refused with a retry after one second", async () => {
    const { deps } = stage({ claim: async () => ({ kind: "running" }) });

    const refused = await failureOf(withIdempotency(exchangeWith(), "?", deps, unasked));

    expect(refused).toMatchObject({ code: "still_running", retryAfterMs: 1_000 });
  });

  test("that differs from the first use of its Idempotency-Key is refused", async () => {
    const { deps } = stage({ claim: async () => ({ kind: "other_question" }) });

    expect(await failureOf(withIdempotency(exchangeWith(), "?", deps, unasked))).toMatchObject({
      code: "key_reused",
    });
  });

  test("may run as long as any call plus a minute before its gateway counts as dead", async () => {
    const { deps, claims } = stage();

    await withIdempotency(exchangeWith(), "?", deps, async () => WHOLE);

    expect(claims).toMatchObject([{ at: NOW, endsBy: NOW + 660_000 }]);
  });

  test("is claimed under the id of its call", async () => {
    const { deps, claims } = stage();

    await withIdempotency(exchangeWith(), "?", deps, async () => WHOLE);
    await withIdempotency(exchangeWith(), "?", deps, async () => WHOLE, "task-7");

    expect(claims).toMatchObject([{ callId: "call-1" }, { callId: "task-7" }]);
  });
});

test("hashing a long request does not block other requests", async () => {
  const { deps } = stage();
  let turns = 0;
  let next = setImmediate(function turn() {
    turns++;
    next = setImmediate(turn);
  });

  await withIdempotency(exchangeWith(), Buffer.alloc(2 * 1024 * 1024), deps, async () => WHOLE);
  clearImmediate(next);

  expect(turns).toBeGreaterThanOrEqual(4);
});

describe("the same request", () => {
  type RequestedValue = Parameters<typeof withIdempotency>[1];
  const claimOf = async (
    sent: Sent,
    question: RequestedValue = "?",
  ): Promise<IdempotencyRecord> => {
    const { deps, claims } = stage();
    await withIdempotency(exchangeWith(undefined, sent), question, deps, async () => WHOLE);
    const [claim] = claims;
    if (claim === undefined) throw new Error("Nothing was claimed.");
    return claim;
  };
  const form = (...parts: Form["parts"]): Form => new Form(parts);
  const file = (content: string, filename = "a.png") => ({
    name: "image",
    filename,
    mediaType: "image/png",
    bytes: Buffer.from(content),
  });

  test("has the same user, method, path and key", async () => {
    const { id } = await claimOf({});

    expect((await claimOf({}, "another question")).id).toBe(id);
    for (const other of [
      { userId: 2 },
      { method: "PUT" },
      { path: "/v1/y" },
      { idempotencyKey: "two" },
    ]) {
      expect((await claimOf(other)).id).not.toBe(id);
    }
  });

  test("is the same with any form of the client's credential", async () => {
    const { question } = await claimOf({});

    expect((await claimOf({ path: "/v1/x?key=secret" })).question).toBe(question);
    expect((await claimOf({ path: "/v1/x?alt=sse" })).question).not.toBe(question);
    expect((await claimOf({}, "!")).question).not.toBe(question);
    expect((await claimOf({}, Buffer.from("?"))).question).toBe(question);
  });

  test("has the same fields and files, if it is a form", async () => {
    const prompt = { name: "prompt", value: "a cat" };
    const { question } = await claimOf({}, form(prompt, file("cat")));

    expect((await claimOf({}, form(prompt, file("cat")))).question).toBe(question);
    for (const other of [
      form({ name: "prompt", value: "a dog" }, file("cat")),
      form({ name: "style", value: "a cat" }, file("cat")),
      form(prompt, file("dog")),
      form(prompt, file("cat", "b.png")),
      form(prompt),
    ]) {
      expect((await claimOf({}, other)).question).not.toBe(question);
    }
  });
});

describe("a response", () => {
  const streamed = (fill: (sink: Sink) => Promise<boolean>): Reply => ({
    kind: "stream",
    headers: { "content-type": "text/event-stream" },
    fill,
  });
  const answered = async (body: Body): Promise<readonly Kept[]> => {
    const { deps, kept } = stage();
    const answer = await withIdempotency(exchangeWith(), "?", deps, async () => ({
      ...WHOLE,
      body,
    }));
    await answer.text();
    return kept;
  };

  test("is stored for a day, with its headers", async () => {
    expect(await answered("answer")).toEqual([
      {
        answer: {
          status: 200,
          headers: { "content-type": "text/plain" },
          body: Buffer.from("answer"),
        },
        expiresAt: NOW + 86_400_000,
      },
    ]);
  });

  test.each([
    ["in one", (size: number) => "x".repeat(size)],
    ["in pieces", (size: number) => new Pieces(["x".repeat(size - 1), "x"])],
  ])("is stored up to the limit, and above it only recorded as given: %s", async (_, bodyOf) => {
    const [most] = await answered(bodyOf(1_000));
    const [more] = await answered(bodyOf(1_001));

    expect(Buffer.from(most?.answer?.body ?? []).toString()).toBe("x".repeat(1_000));
    expect(more).toEqual({ answer: undefined, expiresAt: NOW + 86_400_000 });
  });

  test("that broke off is not stored: the next request is a new call", async () => {
    const { deps, seen } = stage();
    const answer = await withIdempotency(exchangeWith(), "?", deps, async () =>
      streamed(async (sink) => {
        await sink.write("half of");
        return false;
      }),
    );

    await answer.text();

    expect(seen).toEqual(["release"]);
  });

  test("that failed midway is not stored, and is marked as failed", async () => {
    const { deps, seen } = stage();
    const answer = await withIdempotency(exchangeWith(), "?", deps, async () =>
      streamed(() => Promise.reject(new Error("cut"))),
    );

    expect(await failureOf(answer.text())).toBeDefined();
    expect(seen).toEqual(["release"]);
  });

  test("whose client disconnects during it is released once", async () => {
    const { deps, seen } = stage();
    const leaving = new AbortController();
    const answer = await withIdempotency(exchangeWith(leaving.signal), "?", deps, async () =>
      streamed(async () => {
        leaving.abort();
        return false;
      }),
    );

    await answer.text();

    expect(seen).toEqual(["release"]);
  });
});

describe("a repeated request", () => {
  const done = (answer?: StoredReply) =>
    stage({ claim: async () => ({ kind: "done", callId: "call-0", answer }) });
  const KEPT: StoredReply = {
    status: 200,
    headers: { "content-type": "text/plain", "x-request-id": "call-0" },
    body: Buffer.from("as it was"),
  };

  test("gets the stored response under a new request id, with the id of the original call", async () => {
    const { deps, seen } = done(KEPT);

    const answer = await withIdempotency(exchangeWith(), "?", deps, unasked, "task-7", unasked);

    expect(await answer.text()).toBe("as it was");
    expect(Object.fromEntries(answer.headers)).toEqual({
      "content-type": "text/plain",
      "x-request-id": "call-1",
      "request-id": "call-1",
      "idempotent-replayed": "true",
      "original-request-id": "call-0",
    });
    expect(seen).toEqual([]);
  });

  test("gets the id of the charged call if its response was not stored", async () => {
    const { deps } = done();

    const refused = await failureOf(withIdempotency(exchangeWith(), "?", deps, unasked));

    expect(refused).toMatchObject({ code: "answer_not_kept" });
    expect(String(refused)).toContain("call-0");
  });

  test.each([
    ["in one", "as it is now"],
    ["in pieces", new Pieces(["as it ", "is now"])],
  ])("gets the current state if its object still exists: %s", async (_, body) => {
    const { deps } = done();
    const asked: string[] = [];

    const answer = await withIdempotency(
      exchangeWith(),
      "?",
      deps,
      unasked,
      undefined,
      async (callId) => {
        asked.push(callId);
        return { ...WHOLE, body };
      },
    );

    expect(await answer.text()).toBe("as it is now");
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
    expect(asked).toEqual(["call-0"]);
  });

  test.each([
    ["nothing of it is known any more", undefined],
    ["only a stream could tell it", { kind: "stream", headers: {}, fill: unasked } as Reply],
  ])("gets the same result if %s", async (_, reply) => {
    const { deps } = done();

    const refused = failureOf(
      withIdempotency(exchangeWith(), "?", deps, unasked, undefined, async () => reply),
    );

    expect(await refused).toMatchObject({ code: "answer_not_kept" });
  });
});

const unasked = (): Promise<never> => Promise.reject(new Error("This was not to be asked."));

function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => undefined,
    (cause: unknown) => cause,
  );
}
