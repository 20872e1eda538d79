import { answerQuestion } from "../engine/answer.ts";
import type { Answer } from "../engine/conversation.ts";
import type { Faults } from "../faults/faults.ts";
import { parseJson, type JsonObject } from "../json.ts";
import { ground } from "./grounding.ts";
import { newCallId } from "./ids.ts";
import { invoke } from "./invocations.ts";
import {
  draftPortions,
  drawnPortions,
  missingPicture,
  type MissingPicture,
} from "./made-pictures.ts";
import { filmedPortions, spokenPortions } from "./made-media.ts";
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
  /** Actions of the vendor's tools. */
  readonly invocations: readonly Portion[];
  /** Pictures among the thoughts. */
  drafts(): Iterable<Portion>;
  /** Pictures or speech. */
  media(): Iterable<Portion>;
  /** Fields beside the parts at the end. */
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
  const missing = missingPicture(request);
  const isHeldBack = missing !== undefined || (first.refusal !== undefined && request.holdsBack);
  const answer = isHeldBack ? withoutWords(first) : inForm(first, output.isBareWord);
  const isThird = model.generation === "3";
  const plan: Plan = {
    request,
    answer,
    isHeldBack,
    missing,
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
    drafts: () => draftPortions(request),
    media: () => mediaOf(plan, faults),
    closing: closingOf(plan, faults),
  };
}

interface Plan {
  readonly request: GenerateRequest;
  readonly answer: Answer;
  readonly isHeldBack: boolean;
  readonly missing: MissingPicture | undefined;
  /** The last message of the user. */
  readonly asked: string;
  readonly signature: string;
}

function invocationsOf({ request, answer, isHeldBack, asked, signature }: Plan) {
  if (isHeldBack || answer.calls.length > 0) return [];
  const { model, prompt } = request;
  return invoke(prompt.tools, asked, model.generation === "3" ? signature : undefined);
}

/** What is spoken is not also written, and a picture may stand alone. */
function mediaOf({ request, answer, isHeldBack, signature }: Plan, { finish }: Faults) {
  if (request.output.modalities.includes("AUDIO")) return spokenPortions(answer.text);
  // An answer that ends otherwise than well has no picture.
  const isWell = !isHeldBack && (finish === undefined || finish.reason === "STOP");
  if (isWell && request.output.modalities.includes("VIDEO")) return filmedPortions();
  return isWell ? drawnPortions(request, signature) : [];
}

function closingOf(plan: Plan, { finish }: Faults): Closing {
  const { request, answer, isHeldBack, missing, asked, signature } = plan;
  const { model, output, prompt, thinking } = request;
  const isCall = answer.calls.length > 0;
  // Calls and pictures carry the signature themselves.
  const isWords = !isCall && !isHeldBack && output.modalities.join() === "TEXT";
  const sealsText = isWords && model.generation === "3" && thinking.effort !== "none";
  return {
    finishReason: finishReason(answer, isHeldBack),
    ...(isHeldBack && missing === undefined ? { safetyRatings: HELD_BACK } : {}),
    ...missing,
    ...(finish === undefined ? {} : { finishReason: finish.reason }),
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
