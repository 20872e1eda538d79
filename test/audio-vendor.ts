import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { Json, JsonObject } from "#lib/json.ts";

/** What the vendor was sent, and what became of its answer. */
interface Heard {
  readonly path: string;
  readonly headers: Headers;
  readonly body: JsonObject;
  readonly file:
    | { readonly name: string; readonly type: string; readonly bytes: Uint8Array }
    | undefined;
  sentBytes: number;
  isCut: boolean;
}

export interface AudioVendor extends Disposable {
  readonly url: string;
  readonly heard: readonly Heard[];
  /** Lets answers that wait for it go on. */
  goOn(): void;
}

/** What is heard in every recording. */
export const WORDS = ["The", " quick", " brown", " fox."] as const;
export const TEXT = WORDS.join("");
export const CUES = { srt: "1\n00:00:00,000 --> 00:00:02,500\nThe quick brown fox.\n\n" };
/** Long enough to come in several pieces. */
export const SOUND = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7) % 251);
const PIECE_BYTES = 8_000;

/** A server of the formats, whose models are named after what they do. */
/** A server that begins to speak, and is gone once it is told to go. */
export async function startDyingVendor(): Promise<AsyncDisposable & { url: string; die(): void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () =>
      socket.write(
        "HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
      ),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    die() {
      for (const socket of sockets.splice(0)) socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
}

export function startAudioVendor(): AudioVendor {
  const heard: Heard[] = [];
  const gates: (() => void)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 128 * 1024 * 1024,
    async fetch(request) {
      const one = await listen(request);
      heard.push(one);
      return await answer(one, () => new Promise((resolve) => gates.push(resolve)));
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    heard,
    goOn() {
      for (const open of gates.splice(0)) open();
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

async function listen(request: Request): Promise<Heard> {
  const { pathname: path } = new URL(request.url);
  const { headers } = request;
  const state = { path, headers, sentBytes: 0, isCut: false };
  if (headers.get("content-type")?.startsWith("application/json") === true) {
    return { ...state, body: (await request.json()) as JsonObject, file: undefined };
  }
  const body: Record<string, Json> = {};
  let file: Heard["file"];
  for (const [name, value] of (await request.formData()).entries()) {
    if (typeof value === "string") body[name] = value;
    else
      file = {
        name: value.name,
        type: value.type,
        bytes: new Uint8Array(await value.arrayBuffer()),
      };
  }
  return { ...state, body, file };
}

type Wait = () => Promise<void>;

async function answer(one: Heard, wait: Wait): Promise<Response> {
  const { path, body } = one;
  const { model } = body;
  if (model === "broken") return Response.json({ error: { message: "No." } }, { status: 500 });
  if (model === "picky") {
    const error = {
      message: "Voice 'x' is unknown.",
      param: "voice",
      type: "invalid_request_error",
    };
    return Response.json({ error }, { status: 400 });
  }
  if (model === "liar") return Response.json({ error: { message: "Out of order." } });
  if (model === "page") return page();
  if (path.endsWith("/audio/speech")) return speak(one, wait);
  if (path.endsWith("/moderations")) return moderate(body);
  return await transcribe(one, wait);
}

function page(): Response {
  return new Response("<script>alert(1)</script>", { headers: { "content-type": "text/html" } });
}

function speak(one: Heard, wait: Wait): Response {
  const { model } = one.body;
  if (one.body["stream_format"] === "sse") {
    const pieces = [SOUND.slice(0, 50), SOUND.slice(50, 99)];
    const deltas = pieces.map((piece) => ({
      type: "speech.audio.delta",
      audio: Buffer.from(piece).toString("base64"),
    }));
    const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
    return events(one, [...deltas, { type: "speech.audio.done", usage }], wait);
  }
  const type = model === "odd" ? "text/html-ish" : "audio/mpeg";
  const headers = { "content-type": type, "set-cookie": "a=b", "x-vendor": "yes" };
  return new Response(sound(one, wait), { headers });
}

function sound(one: Heard, wait: Wait): ReadableStream<Uint8Array> {
  const { model } = one.body;
  const isEndless = model === "endless";
  return new ReadableStream({
    async pull(controller) {
      const { sentBytes } = one;
      if (model === "empty") return controller.close();
      if (model === "slow" && sentBytes > 0) await wait();
      const at = isEndless ? sentBytes % SOUND.length : sentBytes;
      const piece = SOUND.slice(at, at + PIECE_BYTES);
      one.sentBytes += piece.length;
      if (piece.length > 0) controller.enqueue(piece);
      if (!isEndless && one.sentBytes >= SOUND.length) controller.close();
    },
    cancel() {
      one.isCut = true;
    },
  });
}

const TOKENS = {
  type: "tokens",
  input_tokens: 14,
  input_token_details: { text_tokens: 4, audio_tokens: 10 },
  output_tokens: 5,
  total_tokens: 19,
};

async function transcribe(one: Heard, wait: Wait): Promise<Response> {
  const { model, stream, response_format: shape } = one.body;
  const usage = model === "by-second" ? { type: "duration", seconds: 9 } : TOKENS;
  const said = model === "silent" ? {} : { usage };
  if (model === "slow") await wait();
  if (stream === "true" && model !== "stubborn") {
    const deltas = WORDS.map((delta) => ({ type: "transcript.text.delta", delta }));
    if (model === "dying") return events(one, deltas, wait);
    return events(one, [...deltas, { type: "transcript.text.done", text: TEXT, ...said }], wait);
  }
  if (shape === "srt") return plain(CUES.srt);
  if (shape === "vtt") {
    return plain("WEBVTT\n\n00:00.000 --> 00:02.500\nThe quick brown fox.\n\n", "text/vtt");
  }
  if (shape === "text") return plain(`${TEXT}\n`);
  const verbose = {
    task: "transcribe",
    language: "english",
    duration: 8.47,
    text: TEXT,
    segments: [],
  };
  return Response.json(
    shape === "verbose_json" ? { ...verbose, ...said } : { text: TEXT, ...said },
  );
}

function plain(text: string, type = "text/plain; charset=utf-8"): Response {
  return new Response(text, { headers: { "content-type": type } });
}

function events(one: Heard, all: readonly JsonObject[], wait: Wait): Response {
  const left = [...all];
  const body = new ReadableStream({
    async pull(controller) {
      if (one.body["model"] === "gated" && left.length < all.length) await wait();
      const next = left.shift();
      if (next === undefined) return controller.close();
      controller.enqueue(Buffer.from(`data: ${JSON.stringify(next)}\n\n`));
    },
    cancel() {
      one.isCut = true;
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function moderate({ model, input }: JsonObject): Response {
  const inputs = Array.isArray(input) ? input : [input];
  const results = inputs.map((each) => ({
    flagged: JSON.stringify(each).includes("kill"),
    categories: { violence: true },
    category_scores: { violence: 0.9 },
    category_applied_input_types: { violence: ["text"] },
  }));
  const usage = model === "counting" ? { usage: { prompt_tokens: 13, total_tokens: 74 } } : {};
  return Response.json({ id: "modr-1", model: "inner-moderator", results, ...usage });
}
