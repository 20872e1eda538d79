import { randomBytes } from "node:crypto";
import type { Revive } from "./json.ts";
import { LongBase64 } from "./long-base64.ts";

/** JSON without the long base64 in it. */
interface ShortJson {
  /** The document, with a short text in the place of each. */
  readonly bytes: Uint8Array;
  /** For `JSON.parse`, to put each into its place; undefined where there is none. */
  readonly revive: Revive | undefined;
}

/** Of base64 that is worth it. */
const LONG_BYTES = 16 * 1024;
/** Of the rest: a document that has more to say is read whole. */
const MAX_REST_BYTES = 256 * 1024;
/** Longer than any head of a data URI that is meant as one. */
const MAX_HEAD_BYTES = 512;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const DATA_URI = /^data:[^\\\0-\x1f\x7f-\xff,]*,$/i;

/**
 * Takes long base64 out of JSON, as views of its bytes. The rest is to be
 * parsed as ever, and means the same: what stands between two quotes, and is
 * base64, is no JSON at all if it is not the inside of a text, and neither is
 * what is put in its place.
 */
export async function shortenJson(
  bytes: Uint8Array,
  longBytes = LONG_BYTES,
  maxRestBytes = MAX_REST_BYTES,
): Promise<ShortJson> {
  if (bytes.length < longBytes) return { bytes, revive: undefined };
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Made up after the document was written, so that nobody could write it there.
  const mark = randomBytes(16).toString("hex");
  const longs = new Map<unknown, LongBase64>();
  const rest: Buffer[] = [];
  let restBytes = 0;
  let keptTo = 0;

  for (let open = json.indexOf(QUOTE); open >= 0;) {
    const last = json.lastIndexOf(QUOTE, open + longBytes);
    if (last > open) {
      open = last;
      continue;
    }
    const close = json.indexOf(QUOTE, open + 1);
    const long = close < 0 ? undefined : await longBetween(json, open, close);
    if (long !== undefined) {
      const name = `${mark}-${longs.size}`;
      longs.set(name, long);
      rest.push(json.subarray(keptTo, open + 1), Buffer.from(name));
      restBytes += open + 1 - keptTo + name.length;
      keptTo = close;
      if (restBytes > maxRestBytes) break;
    }
    open = close;
  }
  restBytes += json.length - keptTo;
  if (longs.size === 0 || restBytes > maxRestBytes) return { bytes, revive: undefined };
  rest.push(json.subarray(keptTo));
  return { bytes: Buffer.concat(rest), revive: (_, value) => longs.get(value) ?? value };
}

/** What stands between two quotes, where that is base64 and no name of a member. */
async function longBetween(
  json: Buffer,
  open: number,
  close: number,
): Promise<LongBase64 | undefined> {
  // Quotes and letters that were escaped are not what they seem to be.
  if (json[open - 1] === BACKSLASH || nextMeaningful(json, close + 1) === COLON) return undefined;
  const text = json.subarray(open + 1, close);
  const head = text.toString("latin1", 0, text.subarray(0, MAX_HEAD_BYTES).indexOf(",") + 1);
  if (head !== "" && !DATA_URI.test(head)) return undefined;
  return await LongBase64.read(text.subarray(head.length), head);
}

function nextMeaningful(json: Buffer, from: number): number | undefined {
  let at = from;
  while ((json[at] ?? Infinity) <= 0x20) at++;
  return json[at];
}
