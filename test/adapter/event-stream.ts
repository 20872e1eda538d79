import { crc32 } from "node:zlib";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

interface Frame {
  readonly type: string;
  readonly payload: JsonObject;
}

/** The binary frames of one vendor's streams: lengths, headers, a JSON payload, a checksum. */
export function readFrames(bytes: Uint8Array): readonly Frame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = view.getUint32(at);
    const headersEnd = at + PRELUDE_BYTES + view.getUint32(at + 4);
    const payload = bytes.subarray(headersEnd, at + length - CHECKSUM_BYTES);
    const body = parseJson(Buffer.from(payload).toString());
    frames.push({
      type: eventType(Buffer.from(bytes.subarray(at + PRELUDE_BYTES, headersEnd))),
      payload: isObject(body) ? body : {},
    });
    at += length;
  }
  return frames;
}

/** A header: the length of its name, its name, 7 for text, the length of its value, its value. */
function eventType(headers: Buffer): string {
  for (let at = 0; at < headers.length;) {
    const nameLength = headers.readUInt8(at);
    const name = headers.toString("utf8", at + 1, at + 1 + nameLength);
    const valueAt = at + 1 + nameLength + 3;
    const valueLength = headers.readUInt16BE(valueAt - 2);
    if (name === ":event-type" || name === ":exception-type") {
      return headers.toString("utf8", valueAt, valueAt + valueLength);
    }
    at = valueAt + valueLength;
  }
  return "";
}

/** One of them, as the vendor would write it. */
export function frame(type: string, payload: JsonObject, kind = "event"): Uint8Array {
  const headers = Buffer.concat([
    header(kind === "event" ? ":event-type" : ":exception-type", type),
    header(":content-type", "application/json"),
    header(":message-type", kind),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(PRELUDE_BYTES + headers.length + body.length + CHECKSUM_BYTES);
  prelude.writeUInt32BE(headers.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([checked, checksum(checked)]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
