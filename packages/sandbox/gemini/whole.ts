import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Reply } from "../wire/reply.ts";
import { endless, json } from "./answers.ts";
import type { Candidate, Closing } from "./candidate.ts";
import { blockedBody, closingFields, isBlocked, type Generation } from "./generation.ts";
import { averageLogprob, logprobsResult } from "./logprobs.ts";
import { Hop } from "./continuation.ts";
import type { Portion } from "./portions.ts";
import type { GenerateRequest } from "./request.ts";

/** The answer in one piece. */
export function wholeReply(generation: Generation): Reply {
  if (isBlocked(generation.request)) return json(200, blockedBody(generation));
  const made = generation.candidates.map((candidate) => wholeCandidate(candidate, generation));
  const body = {
    candidates: made.map(({ body: each }) => each),
    ...closingFields(generation, generation.meter.total()),
  };
  if (generation.faults.endless !== undefined) return endless(body);
  return json(
    200,
    body,
    made.reduce((sum, { tokens }) => sum + tokens, 0),
  );
}

function wholeCandidate(
  candidate: Candidate,
  { request, faults, meter }: Generation,
): { readonly body: JsonObject; readonly tokens: number } {
  const hop = new Hop(candidate, request, faults, "wholeTokens");
  const portions = [...taken(hop.portions(), candidate)];
  for (const portion of portions) meter.take(portion);
  const shown = portions.flatMap(({ part }) => (part === undefined ? [] : [part]));
  const { closing } = candidate;
  const whole = joined(shown);
  const parts = hop.goesOn ? whole : sealed(whole, closing);
  const body = {
    content: { ...(parts.length === 0 ? {} : { parts }), role: "model" },
    ...hop.ending(closingFieldsOf(closing)),
    ...indexOf(candidate, request),
    ...(request.model.generation === "2.0"
      ? probabilities(parts, request.sampling.logprobs)
      : messageOf(closing)),
  };
  const tokens = portions.reduce(
    (sum, { part, thoughts, answer }) => sum + (part === undefined ? 0 : thoughts + answer),
    0,
  );
  return { body, tokens };
}

/** The oldest models leave it out where there is only one. */
export function indexOf(
  { index }: Candidate,
  { model, sampling }: GenerateRequest,
): { readonly index?: number } {
  return model.generation === "2.0" && sampling.candidates === 1 ? {} : { index };
}

export function messageOf({ finishMessage }: Closing): { readonly finishMessage?: string } {
  return finishMessage === undefined ? {} : { finishMessage };
}

/** Everything about the end of an answer that does not depend on how it is sent. */
export function closingFieldsOf(closing: Closing): JsonObject {
  const { finishReason, safetyRatings, groundingMetadata, urlContextMetadata } = closing;
  return {
    finishReason,
    ...(safetyRatings === undefined ? {} : { safetyRatings }),
    ...(groundingMetadata === undefined ? {} : { groundingMetadata }),
    ...(urlContextMetadata === undefined ? {} : { urlContextMetadata }),
  };
}

/** An answer without an end is given up to its natural one here; the body is what never ends. */
function* taken(portions: Iterable<Portion>, { answer }: Candidate): Generator<Portion> {
  let characters = 0;
  for (const portion of portions) {
    if (characters > answer.text.length + answer.reasoning.length + MARGIN) return;
    yield portion;
    characters += typeof portion.part?.["text"] === "string" ? portion.part["text"].length : 0;
  }
}

/** Room for the one huge event that a fault may ask for. */
const MARGIN = 64;

/** Texts that follow each other are one part, as long as all are thoughts or none is. */
function joined(parts: readonly JsonObject[]): readonly JsonObject[] {
  const whole: JsonObject[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    const both = last !== undefined && isText(last) && isText(part);
    if (both && last["thought"] === part["thought"])
      whole[whole.length - 1] = { ...last, text: `${textIn(last)}${textIn(part)}` };
    else whole.push(part);
  }
  return whole;
}

function isText(part: JsonObject): boolean {
  return typeof part["text"] === "string" && part["thoughtSignature"] === undefined;
}

function textIn(part: Json | undefined): string {
  const text = isJsonObject(part) ? part["text"] : undefined;
  return typeof text === "string" ? text : "";
}

/** The signature of a text goes on its last part. */
function sealed(parts: readonly JsonObject[], { signature }: Closing): readonly JsonObject[] {
  const last = parts.at(-1);
  const isAnswer = last !== undefined && isText(last) && last["thought"] === undefined;
  if (signature === undefined || !isAnswer) return parts;
  return [...parts.slice(0, -1), { ...last, thoughtSignature: signature }];
}

function probabilities(parts: readonly JsonObject[], alternatives: number | undefined): JsonObject {
  const text = parts.map(textIn).join("");
  return {
    avgLogprobs: averageLogprob(text),
    ...(alternatives === undefined ? {} : { logprobsResult: logprobsResult(text, alternatives) }),
  };
}
