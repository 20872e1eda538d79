import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { KEY } from "#test/harness.ts";

/** One request of a client, and what the answer that the client could read looked like. */
export interface RecordedRequest {
  readonly client: string;
  readonly step: string;
  readonly method: string;
  /** `{{2:/id}}` stands for a member of the step's third answer. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As text; a form keeps its boundary. */
  readonly body?: string;
  /** The client repeated it until what it asked after was over. */
  readonly isPoll?: true;
  readonly answer: RecordedAnswer;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly type: string;
  /** Paths of the members of a JSON answer, without the indexes of lists. */
  readonly members?: readonly string[];
}

/** Values of a step's answers, by which later requests of the step are known to refer to them. */
export class StepValues {
  readonly #pathOf = new Map<string, string>();
  readonly #valueAt = new Map<string, string>();
  #answers = 0;

  /** Notes what an answer says: JSON, or the JSON of its events. `again`: in place of the last one. */
  note(text: string, again = false): void {
    if (!again) this.#answers++;
    const n = this.#answers - 1;
    for (const [path, value] of leavesOf(valueIn(text), "")) {
      if (typeof value !== "string" || value.length < 12 || value.length > 2_000) continue;
      this.#keep(value, `{{${n}:${path}}}`);
      // Some clients take the name of a file out of its link.
      const [, name] = /^https?:.*\/([^/:?]{12,})(?::\w+)?(?:\?.*)?$/.exec(value) ?? [];
      if (name !== undefined) this.#keep(name, `{{${n}:${path}#name}}`);
    }
  }

  #keep(value: string, reference: string): void {
    if (!this.#pathOf.has(value)) this.#pathOf.set(value, reference);
    this.#valueAt.set(reference, value);
  }

  /** Replaces values of earlier answers by references, the longest first. */
  toReferences(text: string): string {
    const values = [...this.#pathOf.keys()].toSorted((a, b) => b.length - a.length);
    let written = text;
    for (const value of values) {
      for (const form of new Set([value, JSON.stringify(value).slice(1, -1)]))
        written = written.replaceAll(form, () => this.#pathOf.get(value) ?? form);
    }
    return written;
  }

  toValues(text: string): string {
    return text.replace(/\{\{\d+:[^{}]*\}\}/g, (reference) => {
      const value = this.#valueAt.get(reference);
      if (value === undefined) throw new Error(`No answer of the step holds ${reference}.`);
      return JSON.stringify(value).slice(1, -1);
    });
  }
}

/** Headers that say which client it is and what it wants; those of its machine are left out. */
export function headersWorthKeeping(headers: Headers): Record<string, string> {
  const kept = [...headers].filter(
    ([name, value]) => KEPT.test(name) && (name !== "accept" || value !== "*/*"),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutKey(value)]));
}

const KEPT =
  /^(accept|api-key|authorization|content-type|user-agent|idempotency-key|x-api-key|x-goog-api-key|x-goog-api-client|x-stainless-lang|x-is-encrypted|anthropic-.*|openai-.*)$/;

export function withoutKey(text: string): string {
  return text.replaceAll(KEY, "{KEY}");
}

export function withKey(text: string): string {
  return text.replaceAll("{KEY}", KEY);
}

export function describeAnswer(status: number, type: string, text: string): RecordedAnswer {
  const [media = ""] = type.split(";");
  if (media !== "application/json") return { status, type: media };
  return { status, type: media, members: membersOf(text) };
}

function membersOf(text: string): readonly string[] {
  const paths = [...leavesOf(valueIn(text), "")].map(([path]) => path.replaceAll(/\/\d+/g, "[]"));
  return [...new Set(paths)].toSorted();
}

/** Whether a task that an answer tells of has come to its end. */
export function isOver(text: string): boolean {
  const body = parseJson(text);
  if (!isObject(body)) return true;
  return (
    body["done"] === true || /^(completed|succeeded|failed)$/.test(textOf(body["status"]) ?? "")
  );
}

/** Whether an answer shows a task that is not finished, in the formats that call it a status. */
export function isRunning(text: string): boolean {
  const body = parseJson(text);
  if (!isObject(body)) return false;
  return /^(queued|in_progress|running|processing)$/.test(textOf(body["status"]) ?? "");
}

function valueIn(text: string): Json {
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const events = text.split("\n").filter((line) => line.startsWith("data:"));
  return events.map((line) => parseJson(line.slice("data:".length)) ?? null);
}

function* leavesOf(value: Json, path: string): Generator<[string, Json]> {
  if (isArray(value)) {
    for (const [at, each] of value.entries()) yield* leavesOf(each, `${path}/${at}`);
  } else if (isObject(value)) {
    for (const [name, each] of Object.entries(value as JsonObject))
      if (each !== undefined) yield* leavesOf(each, `${path}/${name}`);
  } else yield [path, value];
}
