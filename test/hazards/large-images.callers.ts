import { KEY } from "#test/harness.ts";

/**
 * Callers with large pictures and the upstream that answers them, in a process
 * of their own: what they do with megabytes delays neither the gateway nor others.
 */
export type Order =
  | { readonly do: "prepare"; readonly pictureBytes: number }
  | { readonly do: "ask"; readonly url: string; readonly count: number }
  | { readonly do: "answer" };

export type Report =
  | { readonly is: "open"; readonly url: string }
  | { readonly is: "prepared" }
  /** All of the questions are with the upstream. */
  | { readonly is: "arrived" }
  /** As many bytes each. */
  | { readonly is: "answered"; readonly sizes: readonly number[] };

let bodies: readonly [path: string, body: Uint8Array<ArrayBuffer>, type: string][] = [];
let answer = new Uint8Array(0);
let arrived = 0;
let expected = 0;
let release = Promise.withResolvers<void>();
const report = (what: Report): void => void process.send?.(what);

const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 120,
  maxRequestBodySize: 512 * 1024 * 1024,
  async fetch(request) {
    await request.arrayBuffer();
    arrived++;
    if (arrived === expected) report({ is: "arrived" });
    await release.promise;
    return new Response(answer, { headers: { "content-type": "application/json" } });
  },
});

process.on("message", (order: Order) => {
  if (order.do === "prepare") prepare(order.pictureBytes);
  else if (order.do === "ask") void ask(order.url, order.count);
  else release.resolve();
});
process.on("disconnect", () => process.exit());
report({ is: "open", url: `http://127.0.0.1:${upstream.port}/v1` });

function prepare(pictureBytes: number): void {
  bodies = bodiesOf(pictureBytes);
  const base64 = bigPng(pictureBytes).toString("base64");
  answer = bytesOf(`{"created":1,"data":[{"b64_json":"`, base64, `"}]}`);
  report({ is: "prepared" });
}

async function ask(url: string, count: number): Promise<void> {
  arrived = 0;
  expected = count;
  release = Promise.withResolvers();
  const calls = Array.from({ length: count }, async (_, at) => {
    const [path, body, type] = bodies[at % bodies.length] ?? ["", new Uint8Array(0), ""];
    const headers = { authorization: `Bearer ${KEY}`, "content-type": type };
    const reply = await fetch(url + path, { method: "POST", headers, body });
    return (await reply.bytes()).length;
  });
  report({ is: "answered", sizes: await Promise.all(calls) });
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
