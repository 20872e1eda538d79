import { randomBytes } from "node:crypto";
import type { Revive } from "./json.ts";
import { LongBase64 } from "./long-base64.ts";

/** A JSON document with its long base64 replaced. */
interface ShortJson {
  /** The document with a short placeholder for each long base64 text. */
  readonly bytes: Uint8Array;
  /** A reviver for `JSON.parse` that restores each text; undefined if there is none. */
  readonly revive: Revive | undefined;
}

/** Minimum length of base64 to replace. */
const LONG_BYTES = 16 * 1024;
/** Maximum size of the rest: a document with more other content is parsed as it is. */
const MAX_REST_BYTES = 256 * 1024;
/** Longer than the prefix of any real data URI. */
const MAX_HEAD_BYTES = 512;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const DATA_URI = /^data:[^\\\0-\x1f\x7f-\xff,]*,$/i;

/**
 * Takes long base64 out of JSON, as views of its bytes. The rest has the same
 * structure. Base64 between two quotes can only be the inside of a JSON string,
 * and so can its placeholder.
 */
export async function shortenJson(
  bytes: Uint8Array,
  longBytes = LONG_BYTES,
  maxRestBytes = MAX_REST_BYTES,
): Promise<ShortJson> {
  if (bytes.length < longBytes) return { bytes, revive: undefined };
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Random and chosen after the document was written, so the document cannot contain it.
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

/** The text between two quotes if it is base64 and not a member's name. */
async function longBetween(
  json: Buffer,
  open: number,
  close: number,
): Promise<LongBase64 | undefined> {
  // Escaped quotes or characters change the meaning of the text.
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
