import { describe, expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import type { Call } from "../call.ts";
import type { Outgoing, UpstreamTransport } from "../failover/attempt.ts";
import type { WireRoute } from "../routing/route.ts";
import { Continuation } from "./continuation.ts";

interface Scene {
  readonly most?: number;
  readonly choices?: number;
  readonly maxOutputTokens?: number;
  readonly isAble?: boolean;
  /** Whether the caller's quota covers the next part. */
  readonly isCovered?: boolean;
  readonly body?: string;
}

/** A response of a vendor that continues a part that ends with the reason `other`. */
function scene({
  most = 3,
  choices = 1,
  maxOutputTokens,
  isAble = true,
  isCovered = true,
  body = '{"model":"m","turn":1}',
}: Scene = {}) {
  const posted: Outgoing[] = [];
  const covered: Usage[] = [];
  const reply = { status: 200 } as UpstreamReply;
  const continuation = ({ reason }: { readonly reason: string }) =>
    reason === "other" ? { turn: 2 } : undefined;
  const route = { endpoint: { style: { outbound: isAble ? { continuation } : {} } } };
  const transport = {
    async post(_: unknown, request: Outgoing) {
      posted.push(request);
      return reply;
    },
  };
  const books = {
    async covers(_: unknown, usage: Usage) {
      covered.push(usage);
      return isCovered;
    },
  };
  const continued = Continuation.of(
    { facts: { choices, maxOutputTokens }, inputTokens: 50 } as unknown as Call,
    route as unknown as WireRoute,
    transport as unknown as UpstreamTransport,
    { body, headers: { "x-kept": "1" }, path: "/gone" },
    books as never,
    { maxContinuations: most },
  );
  return { continued, posted, covered, reply };
}

const MORE: ChatEvent = { type: "finish", choice: 0, reason: "other" };
const usageOf = (outputTokens: number, reasoningTokens = 0): ChatEvent => ({
  type: "usage",
  usage: { ...NO_USAGE, inputTokens: 10, outputTokens, reasoningTokens },
});

describe("a response that its vendor splits", () => {
  test.each([
    ["continues", {}, true],
    ["does not if the style cannot", { isAble: false }, false],
    ["is not continued if the operator allows no continuation", { most: 0 }, false],
    ["does not for several choices", { choices: 2 }, false],
  ] as const)("%s", (_, more, isMade) => {
    expect(scene(more).continued !== undefined).toBe(isMade);
  });

  test("is continued with the fields that the vendor needs", async () => {
    const { continued, posted, reply } = scene();

    expect(await continued?.next([usageOf(5), MORE])).toBe(reply);
    expect(posted).toEqual([{ body: '{"model":"m","turn":2}', headers: { "x-kept": "1" } }]);
  });

  test("is not continued after its normal end", async () => {
    const { continued, posted, covered } = scene();
    const end: ChatEvent = { type: "finish", choice: 0, reason: "stop" };

    expect(await continued?.next([usageOf(5), end])).toBeUndefined();
    expect(await continued?.next([])).toBeUndefined();
    expect([posted, covered]).toEqual([[], []]);
  });

  test("is continued as often as the operator allows", async () => {
    const { continued, posted } = scene({ most: 2 });
    for (let i = 0; i < 4; i++) await continued?.next([MORE]);

    expect(posted).toHaveLength(2);
  });

  test("has each part reserved before its request, at the length of the last one", async () => {
    const { continued, covered } = scene();
    await continued?.next([usageOf(5, 2), MORE]);

    expect(covered).toMatchObject([{ inputTokens: 20, outputTokens: 10, reasoningTokens: 4 }]);
    // The new part has had its input only.
    expect(continued?.usage).toMatchObject({ inputTokens: 20, outputTokens: 5 });
  });

  test("includes the usage of the earlier parts", async () => {
    const { continued, covered } = scene();
    continued?.joiner.between([usageOf(100), MORE]);
    await continued?.next([usageOf(5), MORE]);

    expect(covered).toMatchObject([{ inputTokens: 30, outputTokens: 110 }]);
  });

  test("without a report counts the input that was sent", async () => {
    const { continued, covered } = scene();
    await continued?.next([MORE]);

    expect(covered).toMatchObject([{ inputTokens: 100, outputTokens: 0 }]);
  });

  test("with several reports counts the last one", async () => {
    const { continued, covered } = scene();
    await continued?.next([usageOf(1), usageOf(7), MORE]);

    expect(covered).toMatchObject([{ outputTokens: 14 }]);
  });

  test("is not continued beyond the quota", async () => {
    const { continued, posted } = scene({ isCovered: false });

    expect(await continued?.next([usageOf(5), MORE])).toBeUndefined();
    expect(posted).toEqual([]);
    expect(continued?.usage).toBeUndefined();
  });

  test("ends at the client's limit, and reserves no more than that", async () => {
    const near = scene({ maxOutputTokens: 7 });
    const full = scene({ maxOutputTokens: 5 });
    await near.continued?.next([usageOf(5, 5), MORE]);

    expect(near.covered).toMatchObject([{ outputTokens: 7, reasoningTokens: 7 }]);
    expect(await full.continued?.next([usageOf(5), MORE])).toBeUndefined();
    expect(full.covered).toEqual([]);
  });

  test("of a request that is not JSON is continued with the vendor's fields only", async () => {
    const { continued, posted } = scene({ body: "no JSON" });
    await continued?.next([MORE]);

    expect(posted[0]?.body).toBe('{"turn":2}');
  });
});
