import type { Faults } from "../faults/faults.ts";
import { reportedUsage } from "../faults/usage-faults.ts";
import type { JsonObject } from "../json.ts";
import { candidateOf, type Candidate } from "./candidate.ts";
import { newResponseId } from "./ids.ts";
import { servedBy } from "./models.ts";
import { lastWords } from "./question.ts";
import type { GenerateRequest } from "./request.ts";
import { usageMeter, type UsageMeter } from "./usage.ts";

/** Everything that both ways of answering, in one piece and as a stream, are made from. */
export interface Generation {
  readonly request: GenerateRequest;
  readonly faults: Faults;
  readonly responseId: string;
  readonly candidates: readonly Candidate[];
  readonly meter: UsageMeter;
}

export function generate(
  request: GenerateRequest,
  faults: Faults,
  cachedTokens: number,
): Generation {
  const candidates = Array.from({ length: request.sampling.candidates }, (_, index) =>
    candidateOf(request, faults, index),
  );
  return {
    request,
    faults,
    responseId: newResponseId(),
    candidates,
    meter: usageMeter(request, { cachedTokens, toolTokens: toolTokens(candidates) }),
  };
}

/** Words that the vendor would not even show to the model: the sandbox's own sign for it. */
export function isBlocked({ prompt }: GenerateRequest): boolean {
  return /\bplease block this prompt\b/i.test(lastWords(prompt.contents));
}

/** The answer to a prompt that was blocked: nothing but the reason. */
export function blockedBody(generation: Generation): JsonObject {
  return {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
    ...closingFields(generation, generation.meter.total()),
  };
}

/** What stands behind the candidates, in an answer as in each part of a stream. */
export function closingFields(
  { request, responseId, faults }: Generation,
  usage: JsonObject,
): JsonObject {
  const usageMetadata = reportedUsage(usage, faults);
  return {
    ...(usageMetadata === undefined ? {} : { usageMetadata }),
    modelVersion: servedBy(request.model),
    responseId,
  };
}

/** Pages that were read and code that was run are read by the model, too. */
function toolTokens(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { invocations, closing }) => {
    const ran = invocations.reduce((all, { answer }) => all + answer * 2, 0);
    return sum + ran + (closing.urlContextMetadata === undefined ? 0 : URL_TOKENS);
  }, 0);
}

const URL_TOKENS = 1_200;
