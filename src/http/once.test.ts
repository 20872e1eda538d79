import { describe, expect, test } from "bun:test";
import type { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type { ClaimResult, KeptAnswerStore } from "#core/kept-answers.ts";
import { systemClock } from "#lib/clock.ts";
import { once, type OnceDeps } from "./once.ts";
import type { Reply } from "./reply.ts";
import type { Exchange } from "./routes.ts";

const KEY: ApiKey = { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: [] };
const WHOLE: Reply = { kind: "whole", headers: { "content-type": "text/plain" }, body: "answer" };

function exchangeWith(signal = new AbortController().signal): Exchange {
  return {
    request: new Request("http://gate/v1/x", {
      method: "POST",
      headers: { "idempotency-key": "one" },
    }),
    id: "call-1",
    key: KEY,
    user: undefined,
    client: { address: undefined, isSecure: false },
    signal,
    param: () => "",
    query: new URLSearchParams(),
    readJson: () => Promise.reject(new Error("It was read before.")),
    readPlacedJson: () => Promise.reject(new Error("It was read before.")),
    waitLong: () => ({ [Symbol.dispose]() {} }),
    setStall() {},
    identify() {},
    note() {},
    readBytes: () => Promise.reject(new Error("They were read before.")),
    readForm: () => Promise.reject(new Error("There is none.")),
    readYaml: () => Promise.reject(new Error("There is none.")),
    upgrade: () => new Response(null),
    announce() {},
  };
}

/** A store that notes what it is asked, and does what the test says. */
function stage(more: Partial<KeptAnswerStore> = {}) {
  const seen: string[] = [];
  const errors: GatewayError[] = [];
  const keptAnswers: KeptAnswerStore = {
    claim: async (): Promise<ClaimResult> => ({ kind: "claimed" }),
    keep: async (_, answer) => void seen.push(`keep ${Buffer.from(answer?.body ?? []).toString()}`),
    release: async () => void seen.push("release"),
    prune: async () => 0,
    trim: async () => 0,
    ...more,
  };
  const deps: OnceDeps = {
    keptAnswers,
    clock: systemClock,
    limits: { keptAnswerBytes: 1_000, totalMs: 1_000 },
    onError: (error) => void errors.push(error),
  };
  return { seen, errors, deps };
}

const broken = (): Promise<never> => Promise.reject(new Error("The disk is full."));

describe("a database that fails", () => {
  test("keeps a request from being begun: nobody could say whether it was answered before", async () => {
    const { deps } = stage({ claim: broken });
    let isAsked = false;

    const refused = await once(exchangeWith(), "?", deps, async () => {
      isAsked = true;
      return WHOLE;
    }).catch((cause: unknown) => cause);

    expect(refused).toMatchObject({ code: "unavailable" });
    expect(String(refused)).not.toContain("disk");
    expect(isAsked).toBe(false);
  });

  test("keeps no answer from its caller that was paid for", async () => {
    const { deps, errors } = stage({ keep: broken });

    const answer = await once(exchangeWith(), "?", deps, async () => WHOLE);

    expect(await answer.text()).toBe("answer");
    expect(errors).toMatchObject([{ code: "internal", cause: { message: "The disk is full." } }]);
  });

  test("hides no failure behind its own", async () => {
    const { deps, errors } = stage({ release: broken });

    const failure = await once(exchangeWith(), "?", deps, async () => {
      throw new Error("What really failed.");
    }).catch((cause: unknown) => cause);

    expect(String(failure)).toContain("What really failed.");
    expect(errors.length).toBe(1);
  });

  test("and does not answer holds an answer up for five seconds at most", async () => {
    const { deps } = stage({ keep: () => new Promise(() => {}) });
    const startedAt = performance.now();

    const answer = await once(exchangeWith(), "?", deps, async () => WHOLE);

    expect(await answer.text()).toBe("answer");
    expect(performance.now() - startedAt).toBeWithin(4_900, 7_000);
  }, 10_000);
});

describe("a caller who leaves before a stream is sent", () => {
  const STREAM: Reply = { kind: "stream", headers: {}, fill: async () => true };

  test("leaves the key free", async () => {
    const { deps, seen } = stage();
    const leaving = new AbortController();
    await once(exchangeWith(leaving.signal), "?", deps, async () => STREAM);
    expect(seen).toEqual([]);

    leaving.abort();
    expect(seen).toEqual(["release"]);
  });

  test("leaves it free as well where that was before there was anything to send", async () => {
    const { deps, seen } = stage();

    await once(exchangeWith(AbortSignal.abort()), "?", deps, async () => STREAM);

    expect(seen).toEqual(["release"]);
  });
});

test("a caller who leaves once the whole stream was sent has had it", async () => {
  const { deps, seen } = stage();
  const leaving = new AbortController();
  const answer = await once(exchangeWith(leaving.signal), "?", deps, async () => ({
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
