import { KEY } from "#test/harness.ts";

/**
 * Callers and an upstream of pictures, beside the gateway and not in its
 * thread: what they do with megabytes neither delays it nor stands in its heap.
 */
declare const self: Worker;

export type Order =
  | {
      readonly do: "ask";
      readonly url: string;
      readonly count: number;
      readonly pictureBytes: number;
    }
  | { readonly do: "answer"; readonly pictureBytes: number };

export type Report =
  | { readonly is: "open"; readonly url: string }
  | { readonly is: "arrived" }
  | { readonly is: "answered"; readonly sizes: readonly number[]; readonly small: SmallCalls };

/** How many small calls came through in each phase of the large ones, and how long each took, in ms. */
export interface SmallCalls {
  readonly asking: number[];
  readonly waiting: number[];
  readonly answering: number[];
}

const small: SmallCalls = { asking: [], waiting: [], answering: [] };
let phase: keyof SmallCalls | undefined;
let arrived = 0;
let expected = 0;
let release = Promise.withResolvers<Uint8Array>();
const report = (what: Report): void => self.postMessage(what);

const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 120,
  maxRequestBodySize: 512 * 1024 * 1024,
  async fetch(request) {
    await request.arrayBuffer();
    if (!request.url.includes("/images/")) return Response.json(CHAT);
    arrived++;
    if (arrived === expected) {
      phase = "waiting";
      report({ is: "arrived" });
    }
    const headers = { "content-type": "application/json" };
    return new Response(await release.promise, { headers });
  },
});

const CHAT = {
  id: "1",
  object: "chat.completion",
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "pong" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

self.onmessage = ({ data }: MessageEvent<Order>) => {
  if (data.do === "ask") void ask(data.url, data.count, data.pictureBytes);
  else void answer(data.pictureBytes);
};
report({ is: "open", url: `http://127.0.0.1:${upstream.port}/v1` });

/** Not before enough others had their answer meanwhile: where they wait, this never ends. */
async function answer(pictureBytes: number): Promise<void> {
  while (small.waiting.length < ENOUGH) await Bun.sleep(5);
  const body = answerOf(pictureBytes);
  phase = "answering";
  release.resolve(body);
}

const ENOUGH = 20;

async function ask(url: string, count: number, pictureBytes: number): Promise<void> {
  arrived = 0;
  expected = count;
  release = Promise.withResolvers<Uint8Array>();
  for (const times of Object.values(small)) times.length = 0;
  const bodies = bodiesOf(pictureBytes);
  phase = "asking";
  const calls = Array.from({ length: count }, async (_, at) => {
    const [path, body, type] = bodies[at % bodies.length] ?? ["", new Uint8Array(0), ""];
    const answer = await fetch(url + path, { method: "POST", headers: headersOf(type), body });
    return (await answer.bytes()).length;
  });
  const calling = Promise.all([1, 2].map(() => callUntil(url, () => phase === undefined)));
  const sizes = await Promise.all(calls);
  phase = undefined;
  await calling;
  report({ is: "answered", sizes, small });
}

/** A picture in a data URI, and as a file. */
function bodiesOf(pictureBytes: number): [string, Uint8Array<ArrayBuffer>, string][] {
  const picture = bigPng(pictureBytes);
  const base64 = picture.toString("base64");
  const head = `{"model":"gpt-image-1","prompt":"a","image":"data:image/png;base64,`;
  const field = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const fields = field("model", "gpt-image-1") + field("prompt", "a");
  const file = `--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n`;
  return [
    ["/v1/images/generations", bytesOf(head, base64, `"}`), "application/json"],
    [
      "/v1/images/edits",
      bytesOf(fields + file, picture, "\r\n--b--\r\n"),
      "multipart/form-data; boundary=b",
    ],
  ];
}

function bytesOf(...pieces: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(pieces.map((each) => Buffer.from(each as string))));
}

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** One that is large behind its end, which nobody looks at. */
function bigPng(sizeBytes: number): Buffer {
  const dot = Buffer.from(DOT, "base64");
  return Buffer.concat([dot, Buffer.alloc(sizeBytes - dot.length, "fox")]);
}

function answerOf(pictureBytes: number): Uint8Array {
  const base64 = bigPng(pictureBytes).toString("base64");
  return bytesOf(`{"created":1,"data":[{"b64_json":"`, base64, `"}]}`);
}

async function callUntil(url: string, isOver: () => boolean): Promise<void> {
  const body = JSON.stringify({
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "ping" }],
  });
  while (!isOver()) {
    const at = performance.now();
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: headersOf("application/json"),
      body,
    });
    await answer.arrayBuffer();
    if (phase !== undefined && answer.status === 200) small[phase].push(performance.now() - at);
  }
}

function headersOf(type: string): Record<string, string> {
  return { authorization: `Bearer ${KEY}`, "content-type": type };
}
