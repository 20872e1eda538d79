import { createServer, request, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { KEY } from "#test/harness.ts";

/**
 * Callers with large pictures and the upstream that answers them, in a process
 * of their own: what they do with megabytes delays neither the gateway nor others.
 */
export type Order =
  /** `bytesPerMs`: as much as the network carries each way, of all of them together. */
  | { readonly do: "prepare"; readonly pictureBytes: number; readonly bytesPerMs: number }
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
let bytesPerMs = Infinity;
/** When the network is free again. */
let freeAt = 0;
const report = (what: Report): void => void process.send?.(what);

const upstream = createServer((question, reply) => {
  question.resume();
  question.on("end", () => void answerOne(reply));
});
upstream.listen(0, "127.0.0.1");
await once(upstream, "listening");

process.on("message", (order: Order) => {
  if (order.do === "prepare") prepare(order.pictureBytes, order.bytesPerMs);
  else if (order.do === "ask") void ask(order.url, order.count);
  else release.resolve();
});
process.on("disconnect", () => process.exit());
const { port } = upstream.address() as AddressInfo;
report({ is: "open", url: `http://127.0.0.1:${port}/v1` });

function prepare(pictureBytes: number, speed: number): void {
  bytesPerMs = speed;
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
    const headers = {
      authorization: `Bearer ${KEY}`,
      "content-type": type,
      "content-length": body.length,
    };
    const call = request(url + path, { method: "POST", headers, agent: false });
    const replied = Promise.withResolvers<number>();
    call.on("error", replied.reject);
    call.on("response", (reply) => {
      let sizeBytes = 0;
      reply.on("data", (piece: Uint8Array) => (sizeBytes += piece.length));
      reply.on("end", () => replied.resolve(sizeBytes));
    });
    await send(body, call);
    return await replied.promise;
  });
  report({ is: "answered", sizes: await Promise.all(calls) });
}

async function answerOne(reply: ServerResponse): Promise<void> {
  arrived++;
  if (arrived === expected) report({ is: "arrived" });
  await release.promise;
  const headers = { "content-type": "application/json", "content-length": answer.length };
  reply.writeHead(200, headers);
  await send(answer, reply);
}

const PACKET_BYTES = 64 * 1024;

/** As fast as the network carries it, which all share. */
async function send(bytes: Uint8Array, to: NodeJS.WritableStream): Promise<void> {
  for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
    const packet = bytes.subarray(at, at + PACKET_BYTES);
    freeAt = Math.max(freeAt, performance.now()) + packet.length / bytesPerMs;
    const waitMs = freeAt - performance.now();
    if (waitMs > 1) await setTimeout(waitMs);
    if (!to.write(packet)) await once(to, "drain");
  }
  to.end();
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
