import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { SharedFormat, SharedRequest } from "#core/shared-format.ts";
import type { Tap } from "#core/style.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { UpstreamRequest } from "#egress/egress.ts";
import { Form } from "#lib/form.ts";
import { outlineJson, type JsonObject } from "#lib/json.ts";
import { Pieces } from "#lib/pieces.ts";
import { textOf } from "#lib/values.ts";
import { findProvider } from "#providers/index.ts";
import type { SharedEndpoint } from "#providers/provider.ts";
import { aChannel } from "#test/a-channel.ts";
import { callDeps } from "#test/call-deps.ts";
import { wholeReply, type SaidWhole } from "#test/whole-reply.ts";
import type { Served } from "./call.ts";
import { forward, type ForwardDeps } from "./forward.ts";
import type { Candidate } from "./routing/route.ts";

/** A stream that is complete with its first piece. */
const TAP = {
  push: (events: Uint8Array) => events,
  end: () => undefined,
  fail: () => "failed",
  error: undefined,
  isComplete: () => true,
  isEnding: true,
  hasContent: true,
  takeOutputText: () => "",
  usage: { ...NO_USAGE, inputTokens: 2 },
} as unknown as Tap;

const FORMAT: SharedFormat = {
  id: "sounds",
  inbound: { buildError: () => ({}) },
  outbound: {
    parseError: () => ({ code: "upstream_failed", message: "The vendor failed." }),
    errorIn: ({ error }) =>
      error === undefined ? undefined : { code: "upstream_overloaded", message: "Busy." },
  },
  answersIn: ({ shape }) => shape as "json" | "text" | "audio",
  readAnswer: (answer) => {
    const rewritten = typeof answer === "string" ? undefined : textOf(answer["rewritten"]);
    return {
      usage: { ...NO_USAGE, inputTokens: 3 },
      ...(rewritten === undefined ? {} : { rewritten }),
    };
  },
  openTap: () => TAP,
  guess: () => NO_USAGE,
};

const TEXT = '{"model":"m","voice":"v","old":1}';
const JSON_BODY = {
  text: TEXT,
  json: JSON.parse(TEXT) as JsonObject,
  outline: outlineJson(TEXT, 8),
};

type Said = SaidWhole | GatewayError;

/** Forwards one request to a vendor; all that happened meanwhile. */
function scene(
  said: Said,
  {
    endpoints = [{ style: FORMAT, path: "/sounds" }],
    ...question
  }: Partial<SharedRequest> & { readonly endpoints?: readonly SharedEndpoint[] } = {},
) {
  const requests: { readonly path: string; readonly body: unknown; readonly headers: unknown }[] =
    [];
  const openai = findProvider("openai");
  if (openai === undefined) throw new Error("A provider was expected.");
  const candidate: Candidate = {
    channel: aChannel(),
    provider: { ...openai, shared: endpoints },
    upstreamModel: "upstream-m",
    price: undefined,
    traits: {},
    suffixes: [],
  };
  const gateway = callDeps(candidate, async ({ url, body, headers }: UpstreamRequest) => {
    requests.push({ path: url.pathname, body, headers });
    if (said instanceof GatewayError) throw said;
    return wholeReply(said);
  });
  const asked: SharedRequest = {
    model: "m",
    stream: false,
    body: JSON_BODY,
    edits: {},
    shape: "json",
    inputTokens: 1,
    words: [],
    maxOutputTokens: 1,
    units: {},
    ...question,
  };
  const call = {
    id: "call-1",
    key: { id: 5, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] },
    style: { id: "sounds" },
    facts: { model: "m", stream: asked.stream, maxOutputTokens: undefined, choices: 1 },
    inputTokens: 1,
    signal: new AbortController().signal,
    at: 7,
    startedAt: 1_000,
    count: async () => NO_USAGE,
  } satisfies Served;
  const run = () =>
    forward({ ...call, question: asked, format: FORMAT }, gateway.deps as unknown as ForwardDeps);
  return { ...gateway, run, requests, asked };
}

const errorOf = (told: Promise<unknown>): Promise<GatewayError> =>
  told.then(
    () => expect.unreachable("A failure was expected."),
    (cause: unknown) => GatewayError.from(cause),
  );

/** An answer's bytes as text, with its type. */
async function answered(said: Said, question: Parameters<typeof scene>[1] = {}) {
  const { run } = scene(said, question);
  const answer = await run();
  if (answer.kind === "stream") return expect.unreachable("A complete answer was expected.");
  return [String(answer.body), answer.contentType];
}

describe("a request in a format that clients and vendors share", () => {
  test("is forwarded unchanged, except for the upstream's model and the gateway's changes", async () => {
    const endpoint: SharedEndpoint = { style: FORMAT, path: "/sounds", omits: ["old"] };
    const json = scene({ text: "{}" }, { edits: { voice: "w" }, endpoints: [endpoint] });
    await json.run();

    expect(json.requests).toMatchObject([{ path: "/v1/sounds", headers: { accept: "*/*" } }]);
    expect(JSON.parse(String(json.requests[0]?.body))).toEqual({ model: "upstream-m", voice: "w" });
  });

  test("is forwarded as a form if it arrived as one", async () => {
    const body = new Form([
      { name: "model", value: "m" },
      { name: "file", filename: "a.wav", mediaType: "audio/wav", bytes: Buffer.from("sound") },
    ]);
    const { run, requests } = scene({ text: "{}" }, { body });
    await run();
    const [sent] = requests;

    expect(sent).toMatchObject({
      headers: { accept: "*/*", "content-type": expect.stringContaining("multipart/form-data") },
    });
    expect(sent?.body).toBeInstanceOf(Pieces);
  });

  test("goes to the first endpoint of its format that serves its model and supports it", async () => {
    const { run, requests } = scene(
      { text: "{}" },
      {
        endpoints: [
          { style: { ...FORMAT, id: "pictures" }, path: "/of-another-format" },
          { style: FORMAT, path: "/of-another-model", serves: (model) => model !== "upstream-m" },
          { style: FORMAT, path: "/of-streams", answers: ({ stream }) => stream },
          { style: FORMAT, path: "/first", serves: () => true, answers: () => true },
          { style: FORMAT, path: "/second" },
        ],
      },
    );
    await run();

    expect(requests.map(({ path }) => path)).toEqual(["/v1/first"]);
    const none = scene({ text: "{}" }, { endpoints: [] });
    expect((await errorOf(none.run())).message).toContain("does not do sounds");
    expect(none.events).toEqual([]);
  });
});

describe("a complete response", () => {
  test("is sent unchanged, after its settlement, and frees its channel", async () => {
    const { run, events, settled, health } = scene({
      text: '{ "text": "Hi." }',
      type: "text/json",
    });
    const answer = await run();

    expect(answer).toMatchObject({ kind: "whole", contentType: "application/json", lost: [] });
    expect(String(answer.kind === "whole" && answer.body)).toBe('{ "text": "Hi." }');
    expect(events).toEqual(["sent", "settled"]);
    expect(settled).toMatchObject([{ usage: { inputTokens: 3 }, outcome: "completed" }]);
    expect(health.inFlight(aChannel())).toBe(0);
  });

  test("releases the hold if it fails", async () => {
    const failure = new GatewayError("upstream_failed", "Failed.");
    const { run, events, closed } = scene(failure);

    expect((await errorOf(run())).code).toBe("upstream_failed");
    expect([events, closed.length]).toEqual([["sent", "money given back"], 1]);
  });

  test("is text if the client requested text, with the vendor's type", async () => {
    const subtitles = { text: "WEBVTT", type: " text/vtt " };

    expect(await answered(subtitles, { shape: "text" })).toEqual(["WEBVTT", "text/vtt"]);
    expect(await answered({ text: "Hi." }, { shape: "text" })).toEqual([
      "Hi.",
      "application/octet-stream",
    ]);
  });

  test("is JSON if the client asked for JSON, with any content type", async () => {
    for (const type of ["text/html", "text/plain"]) {
      expect(await answered({ text: "{}", type })).toEqual(["{}", "application/json"]);
    }
    expect((await errorOf(scene({ text: "Hi.", type: "text/plain" }).run())).code).toBe(
      "upstream_failed",
    );
  });

  test("is not a page or a stream", async () => {
    for (const type of ["text/html; charset=utf-8", "text/event-stream"]) {
      const { run } = scene({ text: "<p>", type }, { shape: "text" });
      expect((await errorOf(run())).message).toContain("unexpected content type");
    }
  });

  test("is an error if its body is one, also for a client that requested text", async () => {
    const error = { text: '{"error":"busy"}', type: "application/json" };

    for (const shape of ["json", "text"]) {
      expect((await errorOf(scene(error, { shape }).run())).code).toBe("upstream_overloaded");
    }
  });

  test("is the text that its format creates, if it creates one", async () => {
    const said = { text: '{"rewritten":"Hi."}', type: "application/json" };

    expect(await answered(said)).toEqual(["Hi.", "text/plain; charset=utf-8"]);
  });
});

describe("a streamed response", () => {
  async function streamed(said: Said, shape: string) {
    const { run, asked, events, health } = scene(said, { shape, stream: true });
    const answer = await run();
    if (answer.kind === "whole") return expect.unreachable("A stream was expected.");
    const pieces: string[] = [];
    const isComplete = await answer.send({
      write: (piece) => {
        pieces.push(Buffer.from(piece as Uint8Array).toString());
        events.push("written");
        return undefined;
      },
    });
    expect([isComplete, health.inFlight(aChannel())]).toEqual([true, 0]);
    // The client's recording is not kept for as long as the answer takes.
    expect(asked.body).toEqual(new Form([]));
    const { contentType, isWordless, isTranslated, lost } = answer;
    return { said: pieces.join(""), contentType, isWordless, isTranslated, lost, events };
  }

  test("of events is sent unchanged, its end after the settlement", async () => {
    const text = "data: {}\n\n";
    const type = "Text/Event-Stream";

    for (const shape of ["audio", "json", "text"]) {
      expect(await streamed({ text, type }, shape)).toEqual({
        said: text,
        contentType: "text/event-stream; charset=utf-8",
        isWordless: false,
        isTranslated: false,
        lost: [],
        events: ["sent", "settled", "written"],
      });
    }
  });

  test("of audio cannot contain an error", async () => {
    expect(await streamed({ text: "sound", type: "audio/ogg" }, "audio")).toMatchObject({
      said: "sound",
      contentType: "audio/ogg",
      isWordless: true,
    });
  });

  test("is one chunk if the vendor does not stream", async () => {
    for (const [shape, type] of [
      ["json", "application/octet-stream"],
      ["audio", "application/json"],
      ["audio", "text/plain"],
    ] as const) {
      expect(await streamed({ text: "{}", type }, shape)).toMatchObject({
        said: "{}",
        contentType: "application/json",
        isWordless: false,
      });
    }
  });

  test("releases the hold if it fails before it began", async () => {
    const { run, events } = scene(
      { text: '{"error":"busy"}', type: "application/json" },
      { stream: true, shape: "audio" },
    );

    expect((await errorOf(run())).code).toBe("upstream_overloaded");
    expect(events).toEqual(["sent", "money given back"]);
  });
});
