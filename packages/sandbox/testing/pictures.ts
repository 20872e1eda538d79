import { deflateSync, crc32 } from "node:zlib";
import { parseJson, type Json } from "../json.ts";
import type { Sandbox } from "../server.ts";

/** A PNG file of one colour, as a data URL. */
export function pngUrl(width: number, height: number): string {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // One bit a pixel, in grey.
  head.set([1, 0], 8);
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  const file = Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${file.toString("base64")}`;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Type and measures of a picture, read by a decoder that is not ours. */
export async function lookAt(bytes: Uint8Array): Promise<string> {
  const { format, width, height } = await new Bun.Image(bytes).metadata();
  return `${format} ${width}x${height}`;
}

export async function download(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The download was answered with ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

/** A request to one of the vendors, and its answer as JSON. */
export async function call(
  sandbox: Sandbox,
  path: string,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly answer: Json | undefined }> {
  const response = await fetch(sandbox.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer sk-test",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: parseJson(await response.text()) };
}
