import { answerQuestion } from "../engine/answer.ts";
import type { Answer } from "../engine/conversation.ts";
import { answerPieces, type Piece } from "../engine/pieces.ts";
import type { Faults } from "../faults/faults.ts";
import { faultyPieces } from "../faults/piece-faults.ts";
import { reportedUsage } from "../faults/usage-faults.ts";
import type { JsonObject } from "../json.ts";
import type { AnswerDialect } from "./dialect.ts";
import type { CacheUse } from "./prompt-caching.ts";
import type { PromptTokens } from "./prompt-tokens.ts";
import { questionOf } from "./question.ts";
import type { ChatRequest } from "./request.ts";
import { speak, type Speech } from "./speech.ts";
import { usageMeter, type UsageMeter } from "./usage.ts";

/** Everything that both ways of answering, in one piece and as a stream, are made from. */
export interface ChatReply {
  readonly request: ChatRequest;
  readonly dialect: AnswerDialect;
  readonly faults: Faults;
  readonly id: string;
  readonly createdAt: number;
  readonly choices: readonly Choice[];
  readonly meter: UsageMeter;
}

export interface Choice {
  readonly index: number;
  readonly answer: Answer;
  readonly callIds: readonly string[];
  readonly speech: Speech | undefined;
  /** Lazy, since an answer may have no end. */
  pieces(): Iterable<Piece>;
  readonly finishReason: string;
}

export function chatReply(
  request: ChatRequest,
  dialect: AnswerDialect,
  faults: Faults,
  now: number,
  input: Input,
): ChatReply {
  const createdAt = Math.floor(now / 1_000);
  return {
    request,
    dialect,
    faults,
    id: dialect.newId(now),
    createdAt,
    choices: Array.from({ length: request.choices }, (_, index) =>
      choiceOf({ request, dialect, faults, index, createdAt }),
    ),
    meter: usageMeter(input.prompt, input.cache, request.prediction),
  };
}

/** Input tokens of the request. */
interface Input {
  readonly prompt: PromptTokens;
  readonly cache: CacheUse;
}

interface ChoicePlan extends Pick<ChatReply, "request" | "dialect" | "faults" | "createdAt"> {
  readonly index: number;
}

function choiceOf({ request, dialect, faults, index, createdAt }: ChoicePlan): Choice {
  const pages = request.search?.pages ?? [];
  const answer = answerQuestion({ ...questionOf(request, index), pages });
  const isSpoken = request.speech !== undefined && answer.text !== "";
  return {
    index,
    answer,
    callIds: answer.calls.map(() => dialect.newCallId()),
    speech: isSpoken ? speak(answer.text, createdAt) : undefined,
    pieces: () => faultyPieces(answerPieces(answer), faults),
    finishReason: finishReason(answer, request, faults),
  };
}

/** A call that was demanded by its name ends with "stop", as the vendor has it. */
function finishReason(
  { finish }: Answer,
  request: ChatRequest,
  { finish: other, toolquirks }: Faults,
): string {
  if (other !== undefined) return other.reason;
  if (finish !== "calls") return finish;
  if (request.toolChoice.mode === "named" || toolquirks?.style === "stop") return "stop";
  return request.isLegacyFunctions ? "function_call" : "tool_calls";
}

/** Common head of a completion and its chunks. */
export function commonFields(
  { id, createdAt, request, dialect }: ChatReply,
  object: string,
): JsonObject {
  return {
    id,
    object,
    created: createdAt,
    model: request.model.snapshot,
    ...dialect.common(request),
  };
}

export function usageOf({ meter, dialect, faults }: ChatReply): JsonObject | undefined {
  return reportedUsage(dialect.usage(meter.totals()), faults);
}
