import type { JsonObject } from "../json.ts";
import type { Frame } from "../wire/frame.ts";
import type { Candidate } from "./candidate.ts";
import { blockedBody, closingFields, isBlocked, type Generation } from "./generation.ts";
import { logprobsResult } from "./logprobs.ts";
import { Hop } from "./continuation.ts";
import { closingFieldsOf, indexOf, messageOf } from "./whole.ts";

/** The end of the array; a stream of events has none. */
export const ARRAY_END: Frame = { kind: "done", data: "]", tokens: 0 };

/** The answer as a stream, made as it is taken; several candidates take turns. */
export function* streamFrames(generation: Generation): Generator<Frame> {
  if (isBlocked(generation.request)) {
    yield { kind: "finish", data: JSON.stringify(blockedBody(generation)), tokens: 0 };
    return;
  }
  const { meter } = generation;
  const chunks = generation.candidates.map((candidate) => chunksOf(candidate, generation));
  let open = chunks.length;
  for (const { parts, tokens, soFar, closing, candidate } of inTurns(chunks)) {
    if (closing !== undefined) open--;
    const usage = open === 0 ? meter.total() : soFar;
    const data = JSON.stringify({
      candidates: [candidateBody(candidate, parts, closing, generation)],
      ...closingFields(generation, usage),
    });
    yield { kind: closing === undefined ? "delta" : "finish", data, tokens };
  }
}

interface Chunk {
  readonly candidate: Candidate;
  readonly parts: readonly JsonObject[];
  readonly tokens: number;
  /** The usage when it was made, which may be before it goes out. */
  readonly soFar: JsonObject;
  /** Of the last one. */
  readonly closing?: JsonObject;
}

/** The third generation ends with an empty text of its own; before it the end comes with the last words. */
function* chunksOf(candidate: Candidate, generation: Generation): Generator<Chunk> {
  const { request, faults, meter } = generation;
  const isThird = request.model.generation === "3";
  let held: Chunk | undefined;
  const hop = new Hop(candidate, request, faults, "streamedTokens");
  for (const portion of hop.portions()) {
    meter.take(portion);
    const { part } = portion;
    if (part === undefined) continue;
    const tokens = portion.thoughts + portion.answer;
    const chunk = { candidate, parts: [part], tokens, soFar: meter.soFar() };
    if (isThird) yield chunk;
    else {
      const joins = held !== undefined && isCall(part) && held.parts.every(isCall);
      if (held !== undefined && !joins) yield held;
      held = joins && held !== undefined ? together(held, chunk) : chunk;
    }
  }
  if (faults.endless) return;

  const { closing } = candidate;
  const { signature } = closing;
  const nothing = { candidate, parts: [], tokens: 0, soFar: meter.soFar() };
  if (isThird) {
    const seal = signature === undefined || hop.goesOn ? {} : { thoughtSignature: signature };
    const parts = SILENT.includes(closing.finishReason) ? [] : [{ text: "", ...seal }];
    yield { ...nothing, parts, closing: hop.ending(closingFieldsOf(closing)) };
    return;
  }
  const message = request.model.generation === "2.0" ? {} : messageOf(closing);
  const end = { ...closingFieldsOf(closing), ...message };
  yield { ...(held ?? nothing), closing: end };
}

/** A blocked answer ends without a last text. */
const SILENT: readonly string[] = ["SAFETY", "IMAGE_SAFETY", "NO_IMAGE"];

/** Calls made at once come in one piece. */
function together(left: Chunk, right: Chunk): Chunk {
  return {
    ...right,
    parts: [...left.parts, ...right.parts],
    tokens: left.tokens + right.tokens,
  };
}

function isCall(part: JsonObject): boolean {
  return part["functionCall"] !== undefined;
}

function candidateBody(
  candidate: Candidate,
  parts: readonly JsonObject[],
  closing: JsonObject | undefined,
  { request }: Generation,
): JsonObject {
  const { logprobs } = request.sampling;
  const text = parts.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join("");
  return {
    content: { ...(parts.length === 0 ? {} : { parts }), role: "model" },
    ...closing,
    ...indexOf(candidate, request),
    ...(logprobs === undefined || text === ""
      ? {}
      : { logprobsResult: logprobsResult(text, logprobs) }),
  };
}

/** One of each in turn, until all have ended. */
function* inTurns<T>(sources: readonly Iterator<T>[]): Generator<T> {
  let open = sources;
  while (open.length > 0) {
    const going: Iterator<T>[] = [];
    for (const source of open) {
      const next = source.next();
      if (next.done === true) continue;
      going.push(source);
      yield next.value;
    }
    open = going;
  }
}
