import { ExactNumber } from "./exact-number.ts";
import { LongBase64 } from "./long-base64.ts";

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | JsonObject
  | LongBase64
  | ExactNumber;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** The reviver parameter of `JSON.parse`. */
export type Revive = (key: string, value: unknown) => unknown;

/** Position of a top-level member in the text, in UTF-16 code units. */
interface Member {
  /** Position of the key's opening quote. */
  readonly start: number;
  readonly valueStart: number;
  /** Position after the value's last unit. */
  readonly end: number;
}

export interface JsonOutline {
  /** Last occurrence of each top-level key, as `JSON.parse` reads it. */
  readonly members: ReadonlyMap<string, Member>;
  /** Top-level keys that occur more than once: two parsers may disagree on them. */
  readonly repeated: ReadonlySet<string>;
  readonly depth: number;
  /** Number of objects, arrays and members at all levels, which a parser has to create. */
  readonly parts: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

/**
 * Scans JSON text without parsing it: its nesting depth and the positions of
 * its top-level members. One value can then be replaced while all other bytes
 * stay unchanged. It stops early if the depth exceeds `maxDepth` or the number
 * of parts exceeds `maxParts`. Strings are skipped natively, so a body of
 * base64 is cheap. It does not validate the text: parse it as well before
 * trusting the outline.
 */
export function outlineJson(text: string, maxDepth: number, maxParts = Infinity): Outline {
  const spans: number[] = [];
  let parts = 0;
  let depth = 0;
  let deepest = 0;
  let keyStart = -1;
  let keyEnd = -1;
  let valueStart = -1;
  let lastMeaningful = -1;

  for (let at = 0; at < text.length && parts <= maxParts; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x20) continue;
    const atTop = depth === 1;
    if (atTop && valueStart === -2 && unit !== COMMA && unit !== CLOSE_BRACE) valueStart = at;
    switch (unit) {
      case QUOTE: {
        const end = stringEnd(text, at);
        if (atTop && keyStart < 0) {
          keyStart = at;
          keyEnd = end;
        }
        at = end - 1;
        break;
      }
      case COLON:
        parts++;
        if (atTop && valueStart === -1) valueStart = -2;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        parts++;
        depth++;
        if (depth > deepest) deepest = depth;
        if (depth > maxDepth) return new Outline(text, spans, deepest, parts);
        break;
      case COMMA:
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (atTop && valueStart >= 0) {
          spans.push(keyStart, keyEnd, valueStart, lastMeaningful + 1);
          keyStart = -1;
          valueStart = -1;
        }
        if (unit !== COMMA) depth--;
        break;
    }
    lastMeaningful = at;
  }
  return new Outline(text, spans, deepest, parts);
}

/** Four positions for each top-level member; most bodies are sent on without a look at them. */
const SPAN = 4;

class Outline implements JsonOutline {
  readonly #text: string;
  /** Start and end of the key, start and end of the value. */
  readonly #spans: readonly number[];
  readonly depth: number;
  readonly parts: number;
  #members: ReadonlyMap<string, Member> | undefined;

  constructor(text: string, spans: readonly number[], depth: number, parts: number) {
    this.#text = text;
    this.#spans = spans;
    this.depth = depth;
    this.parts = parts;
  }

  /** Number of top-level members; a repeated key counts each time. */
  get memberCount(): number {
    return this.#spans.length / SPAN;
  }

  get members(): ReadonlyMap<string, Member> {
    this.#members ??= this.#readMembers();
    return this.#members;
  }

  get repeated(): ReadonlySet<string> {
    const seen = new Set<string>();
    const repeated = new Set<string>();
    for (let at = 0; at < this.#spans.length; at += SPAN) {
      const key = this.#keyAt(at);
      if (seen.has(key)) repeated.add(key);
      seen.add(key);
    }
    return repeated;
  }

  #readMembers(): ReadonlyMap<string, Member> {
    const members = new Map<string, Member>();
    const spans = this.#spans;
    for (let at = 0; at < spans.length; at += SPAN) {
      const start = spans[at] ?? 0;
      members.set(this.#keyAt(at), {
        start,
        valueStart: spans[at + 2] ?? 0,
        end: spans[at + 3] ?? 0,
      });
    }
    return members;
  }

  #keyAt(at: number): string {
    return unquote(this.#text.slice(this.#spans[at] ?? 0, this.#spans[at + 1] ?? 0));
  }
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Replaces ranges of a text; edits must not overlap. */
function splice(text: string, edits: readonly Edit[]): string {
  let out = "";
  let from = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    out += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return out + text.slice(from);
}

/**
 * Sets members of a top-level object in its text. An existing value is replaced
 * in place, a new member goes before the closing brace, `undefined` removes the
 * member. All other bytes stay unchanged.
 */
export function setMembers(
  text: string,
  outline: JsonOutline,
  values: Readonly<Record<string, Json | undefined>>,
): string {
  const edits: Edit[] = [];
  const added: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    const member = outline.members.get(key);
    if (value === undefined) continue;
    if (member === undefined) added.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
    else edits.push({ start: member.valueStart, end: member.end, text: JSON.stringify(value) });
  }

  const isGone = (key: string): boolean => key in values && values[key] === undefined;
  edits.push(...removalsOf(outline, isGone));
  if (added.length > 0) {
    const brace = text.lastIndexOf("}");
    const isEmpty = [...outline.members.keys()].every(isGone);
    edits.push({ start: brace, end: brace, text: (isEmpty ? "" : ",") + added.join(",") });
  }
  return splice(text, edits);
}

export function isObject(value: Json | undefined): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !(value instanceof LongBase64 || value instanceof ExactNumber);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** `undefined` if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  return reviveJson(text, undefined);
}

/** The same with a reviver that replaces values. */
export function reviveJson(text: string, revive: Revive | undefined): Json | undefined {
  try {
    return JSON.parse(text, revive) as Json;
  } catch {
    return undefined;
  }
}

/**
 * Removes one comma with each member: the one after it or, for the last
 * members, the one before.
 */
function removalsOf(outline: JsonOutline, isGone: (key: string) => boolean): Edit[] {
  const members = [...outline.members].sort(([, a], [, b]) => a.start - b.start);
  const lastKept = members.findLastIndex(([key]) => !isGone(key));
  const removals = members.slice(0, lastKept + 1).flatMap(([key, { start }], index) => {
    const next = members[index + 1];
    return isGone(key) && next !== undefined ? { start, end: next[1].start, text: "" } : [];
  });

  const first = members.at(0);
  const last = members.at(-1);
  if (first === undefined || last === undefined || lastKept === members.length - 1) return removals;
  const start = members[lastKept]?.[1].end ?? first[1].start;
  return [...removals, { start, end: last[1].end, text: "" }];
}

/** The position after the closing quote, or the end of the text if it is missing. */
function stringEnd(text: string, open: number): number {
  let at = open;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}

function unquote(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  const parsed = parseJson(quoted);
  return typeof parsed === "string" ? parsed : quoted;
}
