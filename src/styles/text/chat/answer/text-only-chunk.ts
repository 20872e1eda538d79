import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf } from "#lib/values.ts";

/** The text of a chunk that carries text of one choice and nothing else. */
interface TextOnlyChunk {
  readonly choice: number;
  readonly text: string;
}

/** Members that such a chunk may have besides: an earlier chunk said the same. */
const KNOWN_CHUNK = new Set([
  "id",
  "object",
  "created",
  "model",
  "system_fingerprint",
  "service_tier",
  "provider",
  "choices",
]);
const KNOWN_CHOICE = new Set(["index", "delta"]);
const KNOWN_DELTA = new Set(["role", "content"]);

/** `undefined` for a chunk that carries more than text. */
export function textOnlyChunkIn(chunk: Json): TextOnlyChunk | undefined {
  if (!isObject(chunk) || !holdsOnly(chunk, KNOWN_CHUNK)) return undefined;
  const [choice, ...others] = listOf(chunk["choices"]);
  if (others.length > 0 || !isObject(choice) || !holdsOnly(choice, KNOWN_CHOICE)) return undefined;
  const { delta } = choice;
  if (!isObject(delta) || !holdsOnly(delta, KNOWN_DELTA)) return undefined;
  const { content } = delta;
  if (typeof content !== "string" || content === "") return undefined;
  return { choice: integerOf(choice["index"]) ?? 0, text: content };
}

function holdsOnly(value: JsonObject, known: ReadonlySet<string>): boolean {
  for (const name in value) {
    if (!known.has(name) && !saysNothing(value[name])) return false;
  }
  return true;
}

function saysNothing(value: Json | undefined): boolean {
  return value === null || value === "" || (isArray(value) && value.length === 0);
}
