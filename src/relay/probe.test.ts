import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { findProvider } from "#providers/index.ts";
import { aChannel } from "#test/a-channel.ts";
import { callDeps } from "#test/call-deps.ts";
import { wholeReply } from "#test/whole-reply.ts";
import { LearnedRefusals } from "./failover/learned-refusals.ts";
import { canListModels, probe, type ProbeDeps } from "./probe.ts";
import type { Candidate } from "./routing/route.ts";
import { ReasoningCache } from "./translation/reasoning-cache.ts";

const NEVER = new AbortController().signal;
const LIST = '{"data":[{"id":"a"},{"id":"b"}]}';
const ANSWER = JSON.stringify({
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "length" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** An upstream that takes one secret only. */
function stage(channel: Channel, text: string) {
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  const candidate: Candidate = {
    channel,
    provider,
    upstreamModel: "upstream-m",
    price: undefined,
    traits: {},
    suffixes: [],
  };
  const sent: UpstreamRequest[] = [];
  const { deps, health, settled } = callDeps(candidate, async (request): Promise<UpstreamReply> => {
    sent.push(request);
    const isRefused = request.credential?.open() === "sk-wrong-credential";
    const refusal = '{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}';
    return isRefused
      ? { ...wholeReply({ text: refusal }), status: 401 }
      : wholeReply({ text, type: "application/json" });
  });
  const table = { candidateOn: () => candidate };
  const clock = { now: () => 0, monotonic: () => 0 };
  const probeDeps: ProbeDeps = {
    ...deps,
    reasoningCache: new ReasoningCache(clock, { keepMs: 1, maxLength: 1 }),
    media: { follow: () => Promise.reject(new Error("No link was expected.")) },
    learned: new LearnedRefusals(clock),
    maxContinuations: 0,
    delivery: { maxEventBytes: 1_000 },
  };
  const run = (model?: string) => probe(channel, model, table, probeDeps, NEVER);
  return { run, sent, health, settled };
}

const KEYS = ["sk-right-credential", "sk-wrong-credential"].map(credential);

describe("a test of a channel", () => {
  test("asks for the vendor's list with each credential, and tells which of them fail", async () => {
    const { run, sent } = stage(aChannel({ credentials: KEYS }), LIST);

    const [right, wrong, ...more] = await run();

    expect(right).toEqual({ label: "...tial", latencyMs: 0, models: 2 });
    expect(wrong).toMatchObject({ label: "...tial", latencyMs: 0, fault: "upstream_auth" });
    expect(wrong?.message).toBe("The upstream does not accept the gateway's account.");
    expect([more, sent.map(({ method }) => method)]).toEqual([[], ["GET", "GET"]]);
  });

  test("asks without a credential if the channel has none", async () => {
    const { run } = stage(aChannel(), LIST);

    expect(await run()).toEqual([{ label: "", latencyMs: 0, models: 2 }]);
  });

  test("asks a model for one token, charges nothing, and gives its place back", async () => {
    const channel = aChannel({ credentials: KEYS.slice(0, 1) });
    const { run, sent, health, settled } = stage(channel, ANSWER);

    expect(await run("m")).toEqual([{ label: "...tial", latencyMs: 0 }]);

    const text = sent[0]?.body;
    const body = JSON.parse(typeof text === "string" ? text : "") as object;
    expect(body).toMatchObject({
      model: "upstream-m",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(JSON.stringify(body)).toMatch(/"max_(?:completion_)?tokens":1\b/);
    expect(body).not.toMatchObject({ stream: true });
    expect([health.inFlight(channel), settled]).toEqual([0, []]);
  });

  test("tells the failure of a model", async () => {
    const channel = aChannel({ credentials: KEYS.slice(1) });
    const { run, health } = stage(channel, ANSWER);

    expect(await run("m")).toMatchObject([{ fault: "upstream_auth" }]);
    expect(health.inFlight(channel)).toBe(0);
  });
});

test("a channel whose vendor has no list can be tested with a model only", () => {
  expect(canListModels(aChannel())).toBe(true);
  expect(canListModels(aChannel({ provider: "perplexity" }))).toBe(
    findProvider("perplexity")?.modelsPath !== undefined,
  );
  expect(canListModels(aChannel({ provider: "unknown" }))).toBe(false);
});
