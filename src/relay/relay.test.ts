import { describe, expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { Passthrough } from "#core/style.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { outlineJson, parseJson, type JsonObject } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import type { Provider, TextEndpoint } from "#providers/provider.ts";
import { chat } from "#styles/text/chat/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { aCall } from "#test/a-call.ts";
import { aChannel } from "#test/a-channel.ts";
import { callDeps } from "#test/call-deps.ts";
import { wholeReply, type SaidWhole } from "#test/whole-reply.ts";
import type { Call } from "./call.ts";
import { passthroughFor, relay, type RelayDeps } from "./relay.ts";
import type { Candidate, WireRoute } from "./routing/route.ts";
import { ReasoningCache } from "./translation/reasoning-cache.ts";

const CHAT: TextEndpoint = { style: chat, path: "/chat/completions", isFaithful: true };
const MESSAGES: TextEndpoint = { style: messages, path: "/messages", isFaithful: true };

const CHAT_ANSWER = JSON.stringify({
  id: "c",
  object: "chat.completion",
  model: "upstream-m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});
const CHAT_STREAM = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "Hi." }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
]
  .map((chunk) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", ...chunk })}`)
  .concat("data: [DONE]", "")
  .join("\n\n");
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "upstream-m",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};
const MESSAGES_ANSWER = JSON.stringify({
  ...MESSAGE,
  content: [{ type: "text", text: "Hi." }],
  stop_reason: "end_turn",
});
const textStream = (text: string): string =>
  [
    { type: "message_start", message: MESSAGE },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 2 },
    },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
const EVENTS = "text/event-stream";
const JSON_TYPE = "application/json";
const ERROR = {
  type: JSON_TYPE,
  text: JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Busy." } }),
};

type Said = SaidWhole | GatewayError | UpstreamReply;

interface Scene {
  readonly endpoint?: TextEndpoint;
  readonly traits?: Candidate["traits"];
  readonly provider?: Partial<Provider>;
  readonly deps?: object;
  readonly fields?: JsonObject;
}

/** A client's call of chat completions to one vendor; all that happened meanwhile. */
function scene(
  say: Said | ((body: JsonObject) => Said),
  { endpoint = CHAT, traits = {}, provider = {}, deps = {}, fields = {} }: Scene = {},
) {
  const bodies: JsonObject[] = [];
  const openai = findProvider("openai");
  if (openai === undefined) throw new Error("A provider was expected.");
  const candidate: Candidate = {
    channel: aChannel({ credentials: [credential("first-secret"), credential("second-secret")] }),
    provider: { ...openai, text: [endpoint], ...provider },
    upstreamModel: "upstream-m",
    price: undefined,
    traits,
    suffixes: [],
  };
  const gateway = callDeps(candidate, async ({ body }: UpstreamRequest) => {
    const json = parseJson(typeof body === "string" ? body : "") as JsonObject;
    bodies.push(json);
    const said = typeof say === "function" ? say(json) : say;
    if (said instanceof GatewayError) throw said;
    return "status" in said ? said : wholeReply(said);
  });
  const call: Call = { ...aCall(fields), now: () => 7_000 };
  call.body.text = JSON.stringify(call.body.json);
  call.body.outline = outlineJson(call.body.text, 8);
  const all = {
    ...gateway.deps,
    reasoningCache: new ReasoningCache(gateway.health as never, { keepMs: 1, maxLength: 1 }),
    media: { follow: () => Promise.reject(new Error("No link was expected.")) },
    maxContinuations: 0,
    learned: { on: () => [], learn: () => false },
    ...deps,
  } as unknown as RelayDeps;
  /** The answer as text, read to its end, and whether it was complete. */
  async function run(): Promise<{ said: string; lost: readonly string[]; isComplete: boolean }> {
    const answer = await relay(call, all);
    if (answer.kind === "whole") {
      return { said: asText(answer.body), lost: answer.lost, isComplete: true };
    }
    gateway.events.push("begun");
    let said = "";
    const isComplete = await answer.send({
      write(piece) {
        said += asText(piece);
        gateway.events.push("written");
        return undefined;
      },
    });
    return { said, lost: answer.lost, isComplete };
  }
  return { ...gateway, call, bodies, run };
}

function asText(piece: Uint8Array | string): string {
  return typeof piece === "string" ? piece : Buffer.from(piece).toString();
}

const errorOf = (told: Promise<unknown>): Promise<GatewayError> =>
  told.then(
    () => expect.unreachable("A failure was expected."),
    (cause: unknown) => GatewayError.from(cause),
  );
const stream = { fields: { stream: true } } as const;

describe("a complete response", () => {
  test("of a vendor of the client's style is sent unchanged, after its settlement", async () => {
    const atOnce = {
      ...wholeReply({ text: CHAT_ANSWER }),
      readAll: () => Buffer.from(CHAT_ANSWER),
    };
    for (const reply of [wholeReply({ text: CHAT_ANSWER }), atOnce]) {
      const { run, events, settled, health, bodies } = scene(reply);

      expect(await run()).toEqual({ said: CHAT_ANSWER, lost: [], isComplete: true });
      expect(events).toEqual(["sent", "settled"]);
      expect(settled).toMatchObject([{ usage: { inputTokens: 3, outputTokens: 2 } }]);
      expect(health.inFlight(aChannel())).toBe(0);
      expect(bodies).toMatchObject([{ model: "upstream-m" }]);
    }
  });

  test("of a vendor of another style is translated", async () => {
    const { run, bodies } = scene({ text: MESSAGES_ANSWER }, { endpoint: MESSAGES });

    expect(JSON.parse((await run()).said)).toMatchObject({
      choices: [{ message: { content: "Hi." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    expect(bodies[0]?.["stream"]).not.toBe(true);
  });

  test("of a vendor that only streams is collected, and other responses are not treated as streams", async () => {
    const endpoint: TextEndpoint = { ...CHAT, streamsOnly: (model) => model === "upstream-m" };
    const { run, bodies } = scene({ text: CHAT_STREAM, type: EVENTS }, { endpoint });

    expect(JSON.parse((await run()).said)).toMatchObject({
      choices: [{ message: { content: "Hi." } }],
    });
    expect(bodies).toMatchObject([{ stream: true }]);
    const failing = scene({ text: '{"error":{"message":"Busy."}}', type: JSON_TYPE }, { endpoint });
    expect((await errorOf(failing.run())).message).toContain("Busy.");
  });

  test("that fails releases the hold", async () => {
    const failure = new GatewayError("upstream_failed", "Failed.");
    const { run, events, closed } = scene(failure);

    expect((await errorOf(run())).code).toBe("upstream_failed");
    expect([events, closed.length]).toEqual([["sent", "money given back"], 1]);
  });
});

describe("a streamed response", () => {
  test("of a vendor of the client's style is sent unchanged, its end after its settlement", async () => {
    const { run, events, settled, health, call } = scene(
      { text: CHAT_STREAM, type: EVENTS },
      { fields: { stream: true, stream_options: { include_usage: true } } },
    );

    expect(await run()).toEqual({ said: CHAT_STREAM, lost: [], isComplete: true });
    expect(events).toEqual(["sent", "begun", "settled", "written"]);
    expect(settled).toMatchObject([{ usage: { inputTokens: 3, outputTokens: 2 } }]);
    expect(health.inFlight(aChannel())).toBe(0);
    // A long request is not kept in memory for as long as its answer takes.
    expect(call.body.text).toBe("");
  });

  test("of a vendor of another style is translated", async () => {
    const { run, events } = scene(
      { text: textStream("Hi."), type: EVENTS },
      { endpoint: MESSAGES, ...stream },
    );
    const { said, isComplete } = await run();

    expect(said).toContain('"content":"Hi."');
    expect(said).toEndWith("data: [DONE]\n\n");
    expect([isComplete, events.at(-1)]).toEqual([true, "written"]);
  });

  test("fails if a vendor of another style sends one JSON body", async () => {
    const { run, events } = scene(ERROR, { endpoint: MESSAGES, ...stream });

    expect((await errorOf(run())).code).toBe("upstream_overloaded");
    expect(events).toEqual(["sent", "money given back"]);
  });

  test("may have long events only if its model makes images or videos", async () => {
    const said = { text: textStream("a".repeat(3_000)), type: EVENTS };
    const cut = { ...wholeReply(said), pump: inPiecesOf(500, said.text) };
    const outcome = async (traits: Candidate["traits"]): Promise<string> => {
      const { run } = scene(cut, { endpoint: MESSAGES, traits, ...stream });
      return run().then(
        ({ isComplete }) => (isComplete ? "complete" : "broken"),
        (cause: unknown) => GatewayError.from(cause).code,
      );
    };

    expect(await outcome({ output: ["text", "image"] })).toBe("complete");
    expect(await outcome({ output: ["video"] })).toBe("complete");
    expect(await outcome({ output: ["text"] })).toBe("upstream_failed");
    expect(await outcome({})).toBe("upstream_failed");
  });
});

function inPiecesOf(size: number, text: string): UpstreamReply["pump"] {
  return async (onPiece) => {
    for (let at = 0; at < text.length; at += size) {
      await onPiece(Buffer.from(text.slice(at, at + size)));
    }
  };
}

test("a response of an adapter is complete or streamed, as its client requested", async () => {
  async function* answer(): AsyncGenerator<ChatEvent> {
    yield { type: "start", id: "1", model: "m", createdAt: 1 };
    yield { type: "open", choice: 0, block: { type: "text" } };
    yield { type: "delta", choice: 0, text: "Hi." };
    yield { type: "close", choice: 0 };
    yield { type: "finish", choice: 0, reason: "stop" };
    yield { type: "usage", usage: { ...NO_USAGE, outputTokens: 2 } };
  }
  const provider = { adapter: { answer } };
  const unused = new GatewayError("internal", "The adapter asks for itself.");
  const whole = await scene(unused, { provider }).run();
  const streamed = await scene(unused, { provider, ...stream }).run();

  expect(JSON.parse(whole.said)).toMatchObject({ choices: [{ message: { content: "Hi." } }] });
  expect(streamed.said).toContain('"content":"Hi."');
});

test("the account that answered a reasoning model's conversation is stored, complete or streamed", async () => {
  for (const fields of [{}, { stream: true }]) {
    const kept: unknown[] = [];
    const homes = {
      find: async () => undefined,
      keep: (_: string, home: object) => void kept.push(home),
    };
    const said = { text: "stream" in fields ? CHAT_STREAM : CHAT_ANSWER, type: EVENTS };
    const traits = { reasoningControls: {} };
    await scene(said, { traits, fields, deps: { homes } }).run();

    expect(kept).toMatchObject([{ channel: "one" }]);
  }
});

describe("a member that the vendor refuses by name", () => {
  const refusal = new GatewayError("invalid_request", "Unknown.");
  const FIELDS = { user: "u", seed: 1, n: 1, store: true };

  /** The vendor refuses these, one after another; the gateway learns them. */
  function learning(refused: readonly string[], more: Scene = {}, failure: Error = refusal) {
    const known: string[] = [];
    const taught: string[] = [];
    const learned = {
      on: () => [...known],
      learn(_: unknown, __: unknown, sent: string) {
        taught.push(sent);
        const body = parseJson(sent) as JsonObject;
        const member = refused.find((each) => each in body);
        if (member === undefined) return false;
        known.push(member);
        return true;
      },
    };
    const isStream = more.fields?.["stream"] === true;
    const answer = { text: isStream ? CHAT_STREAM : CHAT_ANSWER, type: EVENTS };
    const answering = (body: JsonObject): Said => {
      if (!refused.some((name) => name in body)) return answer;
      if (failure instanceof GatewayError) return failure;
      throw failure;
    };
    const placed = scene(answering, {
      deps: { learned },
      ...more,
      fields: { ...FIELDS, ...more.fields },
    });
    return { ...placed, taught };
  }

  test("is omitted in another request, complete or streamed, and reported", async () => {
    for (const fields of [{}, { stream: true }]) {
      const { run, bodies } = learning(["user"], { fields });
      const { lost } = await run();

      expect(bodies.map((body) => "user" in body)).toEqual([true, false]);
      expect(lost).toEqual(["user"]);
    }
  });

  test("is omitted in translated requests, too", async () => {
    const unfaithful = { ...CHAT, isFaithful: false };
    for (const fields of [{}, { stream: true }]) {
      const { run, bodies } = learning(["user"], { endpoint: unfaithful, fields });
      await run();
      expect(bodies.map((body) => "user" in body)).toEqual([true, false]);
    }
  });

  test("is one of at most three of a call", async () => {
    const three = learning(["user", "seed", "n"]);
    const four = learning(["user", "seed", "n", "store"]);
    await three.run();

    expect(three.bodies).toHaveLength(4);
    expect((await errorOf(four.run())).code).toBe("invalid_request");
    expect(four.bodies).toHaveLength(4);
  });

  test("stays if only this client's headers made the vendor refuse it", async () => {
    const strict = { ...CHAT, refusesForAll: () => false };
    const lax = { ...CHAT, refusesForAll: () => true };
    const { run, taught } = learning(["user"], { endpoint: strict });

    expect((await errorOf(run())).code).toBe("invalid_request");
    expect(taught).toEqual([]);
    await learning(["user"], { endpoint: lax }).run();
  });

  test("is not searched in another failure", async () => {
    const { run, taught, bodies } = learning(["user"], {}, new Error("broken"));

    expect((await errorOf(run())).code).toBe("internal");
    expect([taught.length, bodies.length]).toEqual([0, 1]);
  });
});

describe("a response passes through unchanged", () => {
  const PASSED = { amend: () => ({}) } as unknown as Passthrough;
  let parsed = 0;

  /** Whether the answer of such a route passes through to a client of chat completions. */
  function passes({
    passthrough = {},
    endpoint = {},
    outbound = {},
    route = {},
    facts = {},
    request = {},
  }: Readonly<Record<string, object>> = {}): boolean {
    parsed = 0;
    const whole = { ...PASSED, ...passthrough };
    const inbound = {
      parseRequest() {
        parsed++;
        return { messages: [], ...request };
      },
    };
    const found = passthroughFor(
      {
        style: { id: "chat", inbound },
        facts: { stream: false, ...facts },
        body: { json: { stop: ["a"] } },
        header: () => undefined,
      } as never,
      {
        endpoint: {
          style: { id: "chat", passthrough: whole, outbound },
          isFaithful: true,
          dialect: { of: "vendor" },
          ...endpoint,
        },
        upstreamModel: "m",
        traits: {},
        channel: { baseUrl: "" },
        provider: {},
        ...route,
      } as unknown as WireRoute,
    );
    if (found !== undefined) expect(found).toBe(whole);
    return found !== undefined;
  }

  test("if client and vendor use the same style, and the vendor follows it", () => {
    expect(passes()).toBe(true);
    expect(passes({ endpoint: { style: { id: "messages", passthrough: PASSED } } })).toBe(false);
    expect(passes({ endpoint: { isFaithful: false } })).toBe(false);
    expect(parsed).toBe(0);
  });

  test("unless the request or the model's suffix requires a change", () => {
    expect(passes({ facts: { mustTranslate: true } })).toBe(false);
    expect(passes({ facts: { mustTranslate: false } })).toBe(true);
    expect(passes({ route: { steering: { effort: "low" } } })).toBe(false);
  });

  test("unless the vendor only streams and the client did not request a stream", () => {
    const endpoint = { streamsOnly: (model: string) => model === "m" };

    expect(passes({ endpoint })).toBe(false);
    expect(passes({ endpoint, facts: { stream: true } })).toBe(true);
    expect(passes({ endpoint, route: { upstreamModel: "other" } })).toBe(true);
  });

  test("unless its style requires a translation of this request", () => {
    const seen: unknown[] = [];
    const mustTranslate = (...of: unknown[]) => (seen.push(of), true);

    expect(passes({ passthrough: { mustTranslate } })).toBe(false);
    expect(seen).toEqual([[{ stop: ["a"] }, {}, { stream: false }, { of: "vendor" }]]);
    expect(passes({ passthrough: { mustTranslate: () => false } })).toBe(true);
  });

  const schema = { type: "object" };
  const format = { type: "json_schema", name: "report", schema };

  test("unless a tool enforces its schema", () => {
    const schemaIn = () => schema;
    const byTool = { schemaBy: () => "tool" };
    const formed = { passthrough: { schemaIn }, outbound: byTool, request: { format } };

    expect(passes(formed)).toBe(false);
    expect(passes({ ...formed, request: {} })).toBe(true);
    expect(parsed).toBe(1);
    // The request is not parsed if its schema is no reason to.
    expect(passes({ ...formed, outbound: { schemaBy: () => "format" } })).toBe(true);
    expect(passes({ ...formed, passthrough: {} })).toBe(true);
    expect(passes({ ...formed, passthrough: { schemaIn: () => undefined } })).toBe(true);
    expect(parsed).toBe(0);
  });

  test("unless a schema replaces a forced call", () => {
    const tool = { name: "f", kind: "function", parameters: schema };
    const forced = {
      passthrough: { forcesTool: () => true },
      outbound: { answersForTool: () => true },
      route: { traits: { rules: { forcedTools: false } } },
      request: { tools: [tool], toolChoice: { mode: "required" } },
    };

    expect(passes(forced)).toBe(false);
    expect(passes({ ...forced, request: {} })).toBe(true);
    expect(parsed).toBe(1);
    // The request is not parsed if nothing is forced, or if it is not understood anyway.
    expect(passes({ ...forced, route: { traits: { rules: { forcedTools: true } } } })).toBe(true);
    expect(passes({ ...forced, route: {} })).toBe(true);
    expect(passes({ ...forced, passthrough: { forcesTool: () => false } })).toBe(true);
    expect(passes({ ...forced, passthrough: {} })).toBe(true);
    expect(passes({ ...forced, facts: { unknownValue: new Error("unknown") } })).toBe(true);
    expect(parsed).toBe(0);
  });

  test("unless it has stop sequences that the model does not support", () => {
    const stopsIn = ({ stop }: JsonObject) => (stop ?? []) as readonly string[];
    const adaptRequest = () => ({ stop: undefined });

    expect(passes({ outbound: { stopsIn }, endpoint: {} })).toBe(true);
    const style = { id: "chat", passthrough: PASSED, outbound: { stopsIn } };
    expect(passes({ endpoint: { style, adaptRequest } })).toBe(false);
  });
});
