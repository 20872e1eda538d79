import { answerQuestion } from "#sandbox/engine/answer.ts";
import type { Answer } from "#sandbox/engine/conversation.ts";
import type { Faults } from "#sandbox/faults/faults.ts";
import { parseJson, type JsonObject } from "#sandbox/json.ts";
import { ground } from "./grounding.ts";
import { newCallId } from "./ids.ts";
import { invoke } from "./invocations.ts";
import { drawnPortions, spokenPortions } from "./made-media.ts";
import type { Portion } from "./portions.ts";
import { lastWords, questionOf } from "./question.ts";
import type { GenerateRequest } from "./request.ts";
import { sign } from "./signatures.ts";

/** One of the answers to a request. */
export interface Candidate {
  readonly index: number;
  readonly answer: Answer;
  readonly isShown: boolean;
  /** Absent before the third generation. */
  readonly callIds: readonly (string | undefined)[];
  readonly callSignature: string | undefined;
  /** What the vendor's own tools did. */
  readonly invocations: readonly Portion[];
  /** Pictures or speech. */
  media(): Iterable<Portion>;
  /** What stands beside the parts when all is said. */
  readonly closing: Closing;
}

export interface Closing {
  readonly finishReason: string;
  readonly finishMessage?: string;
  readonly safetyRatings?: readonly JsonObject[];
  readonly groundingMetadata?: JsonObject;
  readonly urlContextMetadata?: JsonObject;
  /** Goes with the last text. */
  readonly signature?: string;
}

export function candidateOf(request: GenerateRequest, faults: Faults, index: number): Candidate {
  const { model, output, thinking } = request;
  const first = answerQuestion(questionOf(request, index));
  const isHeldBack = first.refusal !== undefined && request.holdsBack;
  const answer = isHeldBack ? withoutWords(first) : inForm(first, output.isBareWord);
  const isThird = model.generation === "3";
  const plan: Plan = {
    request,
    answer,
    isHeldBack,
    asked: lastWords(request.prompt.contents),
    signature: sign(`${answer.reasoning} ${index}`),
  };

  const sealsCalls = isThird || (model.generation === "2.5" && answer.reasoning !== "");
  return {
    index,
    answer: output.modalities.includes("TEXT") ? answer : { ...answer, text: "" },
    isShown: thinking.isShown,
    callIds: answer.calls.map(() => (isThird ? newCallId() : undefined)),
    callSignature: sealsCalls ? plan.signature : undefined,
    invocations: invocationsOf(plan),
    media: () => mediaOf(plan),
    closing: closingOf(plan, faults),
  };
}

interface Plan {
  readonly request: GenerateRequest;
  readonly answer: Answer;
  readonly isHeldBack: boolean;
  /** What the user said last. */
  readonly asked: string;
  readonly signature: string;
}

function invocationsOf({ request, answer, isHeldBack, asked, signature }: Plan) {
  if (isHeldBack || answer.calls.length > 0) return [];
  const { model, prompt } = request;
  return invoke(prompt.tools, asked, model.generation === "3" ? signature : undefined);
}

/** What is spoken is not also written, and a picture may stand alone. */
function mediaOf({ request, answer, isHeldBack, asked, signature }: Plan): Iterable<Portion> {
  const { model, output } = request;
  if (output.modalities.includes("AUDIO")) return spokenPortions(answer.text);
  if (isHeldBack || !output.modalities.includes("IMAGE")) return [];
  const seal = model.generation === "3" ? signature : undefined;
  return drawnPortions(asked, output.picture, model, seal);
}

function closingOf(plan: Plan, { finish }: Faults): Closing {
  const { request, answer, isHeldBack, asked, signature } = plan;
  const { model, output, prompt, thinking } = request;
  const isCall = answer.calls.length > 0;
  // Calls and pictures carry the signature themselves.
  const isWords = !isCall && !isHeldBack && output.modalities.join() === "TEXT";
  const sealsText = isWords && model.generation === "3" && thinking.effort !== "none";
  return {
    finishReason: finish?.reason ?? finishReason(answer, isHeldBack),
    ...(isHeldBack ? { safetyRatings: HELD_BACK } : {}),
    ...(answer.finish === "calls" && finish === undefined ? { finishMessage: CALLED } : {}),
    ...(isWords ? ground(prompt.tools, asked, answer.text) : {}),
    ...(sealsText ? { signature } : {}),
  };
}

const CALLED = "Model generated function call(s).";

const HELD_BACK: readonly JsonObject[] = [
  { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", probability: "NEGLIGIBLE" },
  { category: "HARM_CATEGORY_HATE_SPEECH", probability: "NEGLIGIBLE" },
  { category: "HARM_CATEGORY_HARASSMENT", probability: "NEGLIGIBLE" },
  { category: "HARM_CATEGORY_DANGEROUS_CONTENT", probability: "HIGH", blocked: true },
];

/** Calls end as texts do. */
function finishReason({ finish }: Answer, isHeldBack: boolean): string {
  if (isHeldBack) return "SAFETY";
  return finish === "length" ? "MAX_TOKENS" : "STOP";
}

function withoutWords({ reasoning, finish }: Answer): Answer {
  return { reasoning, text: "", calls: [], finish };
}

function inForm(answer: Answer, isBareWord: boolean): Answer {
  const word = isBareWord ? parseJson(answer.text) : undefined;
  return typeof word === "string" ? { ...answer, text: word } : answer;
}
