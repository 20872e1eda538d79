import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { LARGE_BYTES, yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import type { Redactor } from "./redactor.ts";

/** A text or a number in a document, which can be replaced. */
interface Leaf {
  readonly text: string;
  /** Texts with this name continue each other in a stream. */
  readonly path: string;
  readonly replace: (text: string) => void;
}

/** A JSON document within a text. */
interface Part {
  readonly written: string;
  readonly document: Document | undefined;
}

/** Members that repeat in each event, and hold no part of an answer. */
const REPEATED = new Set(
  "id object model type role event created created_at status item_id response_id finish_reason stop_reason system_fingerprint service_tier obfuscation sequence_number modelVersion responseId finishReason".split(
    " ",
  ),
);
/** Members that tell apart the interleaved parts of a stream. */
const INDEX = /(?:^|_)index$/i;
const MAX_DEPTH = 500;
/** Numbers below have too few digits to be a card or a phone number. */
const MIN_NUMBER = 1e6;

/**
 * Redacts a body. In JSON and server-sent events, strings are searched as they are meant, and not
 * with their escapes. In a stream, texts of several events that continue each other are searched as
 * one. Throws if the structure is too deep to search.
 */
export async function redactContent(
  body: string,
  redactor: Redactor,
  { isStream }: { readonly isStream: boolean },
): Promise<string> {
  await yieldToEventLoop(body.length);
  const whole = Document.parse(body);
  if (whole !== undefined) {
    await redactDocuments([whole], redactor, isStream);
    return whole.write();
  }
  const parts = isEvents(body) ? partsOf(body) : [{ written: body, document: undefined }];
  const documents = parts.map(({ document }) => document).filter((each) => each !== undefined);
  await redactDocuments(documents, redactor, isStream);
  return parts
    .map(({ written, document }) => document?.write() ?? redactor.redact(written))
    .join("");
}

/** Redacts the start of JSON that was cut off. Its strings are searched without their escapes. */
export function redactCut(body: string, redactor: Redactor): string {
  return redactor.redact(body.replaceAll(ESCAPE, unescape));
}

const ESCAPE = /\\(?:u[\dA-Fa-f]{4}|["\\/bfnrt])/g;

function unescape(escape: string): string {
  return JSON.parse(`"${escape}"`) as string;
}

async function redactDocuments(
  documents: readonly Document[],
  redactor: Redactor,
  isStream: boolean,
): Promise<void> {
  const leaves = documents.flatMap((document) => document.leaves());
  const joined = isStream
    ? [...Map.groupBy(leaves, ({ path }) => path).values()]
    : leaves.map((leaf) => [leaf]);
  let chars = 0;
  for (const group of joined) {
    const parts = group.map(({ text }) => text);
    const isJoined = !REPEATED.has(group[0]?.path.split(".").at(-1) ?? "");
    const redacted = isJoined
      ? redactor.redactJoined(parts)
      : parts.map((part) => redactor.redact(part));
    for (const [at, leaf] of group.entries()) {
      const text = redacted[at] ?? "";
      if (text !== leaf.text) leaf.replace(text);
    }
    chars += parts.reduce((sum, part) => sum + part.length, 0);
    if (chars < LARGE_BYTES) continue;
    await yieldToEventLoop(chars);
    chars = 0;
  }
}

function isEvents(body: string): boolean {
  return /^\s*(?:(?:data|event|id|retry):|:|\{)/.test(body);
}

const DATA = "data:";

/** The lines of server-sent events, or of JSON documents, one a line. */
function partsOf(body: string): Part[] {
  return body.split(/(?<=\n)/).flatMap((line): Part[] => {
    const head = line.startsWith(DATA) ? line.slice(0, line.startsWith("data: ") ? 6 : 5) : "";
    const end = /\r?\n?$/.exec(line)?.[0] ?? "";
    const document = Document.parse(line.slice(head.length, line.length - end.length));
    if (document === undefined) return [{ written: line, document }];
    return [
      { written: head, document: undefined },
      { written: "", document },
      { written: end, document: undefined },
    ];
  });
}

/** A JSON document that is written as it was unless something in it changes. */
class Document {
  readonly #written: string;
  readonly #root: Json[];
  #isChanged = false;

  private constructor(written: string, json: Json) {
    this.#written = written;
    this.#root = [json];
  }

  static parse(text: string): Document | undefined {
    if (!/^\s*[[{"]/.test(text)) return undefined;
    try {
      return new Document(text, JSON.parse(text) as Json);
    } catch {
      return undefined;
    }
  }

  write(): string {
    return this.#isChanged ? JSON.stringify(this.#root[0]) : this.#written;
  }

  leaves(): readonly Leaf[] {
    const found: Leaf[] = [];
    this.#collectFromList(this.#root, "", found, 0);
    return found;
  }

  #collect(value: Json, path: string, found: Leaf[], depth: number, put: Leaf["replace"]): void {
    if (depth > MAX_DEPTH) throw new Error("A body nests too deep to be redacted.");
    const replace = (text: string): void => {
      this.#isChanged = true;
      put(text);
    };
    if (typeof value === "string") found.push({ text: value, path, replace });
    else if (typeof value === "number" && Math.abs(value) >= MIN_NUMBER) {
      found.push({ text: String(value), path: `${path}.${UNJOINED}`, replace });
    } else if (isArray(value)) this.#collectFromList(value, `${path}[]`, found, depth);
    else if (isObject(value)) this.#collectFromObject(value, path, found, depth);
  }

  #collectFromList(list: readonly Json[], path: string, found: Leaf[], depth: number): void {
    const written = list as Json[];
    for (const [at, each] of list.entries()) {
      this.#collect(each, path, found, depth + 1, (text) => void (written[at] = text));
    }
  }

  #collectFromObject(object: JsonObject, path: string, found: Leaf[], depth: number): void {
    const members = Object.entries(object);
    const indexes = members.filter(([name]) => INDEX.test(name)).map(([, value]) => value);
    const here =
      path + indexes.map((each) => (typeof each === "number" ? `#${each}` : "")).join("");
    const written = object as Record<string, Json>;
    for (const [name, value] of members) {
      if (value === undefined) continue;
      let current = name;
      this.#collect(value, `${here}.${name}`, found, depth + 1, (text) => {
        written[current] = text;
      });
      found.push({
        text: name,
        path: `${here}.${name}.${UNJOINED}`,
        replace: (text) => {
          this.#isChanged = true;
          const moved = written[current] ?? null;
          delete written[current];
          current = text;
          written[current] = moved;
        },
      });
    }
  }
}

/** The last step of a path, if the texts of the path never continue each other. */
const UNJOINED = "id";
