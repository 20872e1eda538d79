import { countTokens } from "../engine/tokens.ts";
import type { Faults } from "../faults/faults.ts";
import type { JsonObject } from "../json.ts";
import { cutDrafts, type CutAnswer } from "./cut-drafts.ts";
import { draftAnswer, type Draft } from "./drafts.ts";
import { newId } from "./ids.ts";
import type { CacheVisit } from "./prompt-cache.ts";
import type { MessagesRequest } from "./request.ts";
import type { Binding } from "./seal.ts";
import { areThoughtsShown } from "./thinking-rules.ts";
import { checkQuirk } from "./tool-quirks.ts";
import { usageMeter, type UsageMeter } from "./usage.ts";

/** Everything that both ways of answering, in one piece and as a stream, are made from. */
export interface MessageReply {
  readonly id: string;
  readonly model: string;
  readonly faults: Faults;
  readonly drafts: readonly Draft[];
  readonly areThoughtsShown: boolean;
  readonly stop: Stop;
  readonly meter: UsageMeter;
  /** Only there where the request spoke of it. */
  readonly applied: readonly JsonObject[] | undefined;
  /** The state that binds the reasoning of this answer. */
  readonly binding: Binding;
  /** The parts left out of the request; reported only on request. */
  readonly transformations: readonly JsonObject[] | undefined;
  /** Only there where a program has run. */
  readonly container: JsonObject | undefined;
}

/** Why the answer ended, in the fields of a message. */
type Stop = {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: JsonObject | null;
};

/** Input tokens of the request, and the tokens left for the answer. */
interface Input {
  readonly totalTokens: number;
  readonly contextTokens: number;
  readonly cache: CacheVisit;
  readonly applied: readonly JsonObject[];
}

export function messageReply(
  request: MessagesRequest,
  faults: Faults,
  nowMs: number,
  input: Input,
): MessageReply {
  checkQuirk(faults);
  const { drafts, isRefused } = draftAnswer(request, nowMs);
  const room = input.contextTokens - input.totalTokens;
  const cut = cutDrafts(drafts, {
    maxTokens: Math.min(request.maxTokens, room),
    stop: request.stop,
  });
  const { model } = request;
  const meter = usageMeter(
    {
      totalTokens: input.totalTokens,
      cache: input.cache,
      geo: model.thinking.includes("adaptive") ? (request.geo ?? "global") : "not_available",
      thinks:
        model.isThinkerByNature ||
        ["enabled", "adaptive", "between_tools"].includes(request.thinking.mode),
    },
    faults,
  );
  return {
    id: newId("msg"),
    model: model.id,
    faults,
    drafts: withFaultyEnd(cut.drafts, faults),
    areThoughtsShown: areThoughtsShown(request),
    stop: stopOf(cut, isRefused, room < request.maxTokens, faults),
    meter,
    applied: request.edits === undefined ? undefined : input.applied,
    binding: request.thoughts.binding,
    transformations: request.betas.has("thinking-binding-controls-2026-08-01")
      ? request.thoughts.transformations
      : undefined,
    container: containerOf(cut.drafts, request.container, nowMs),
  };
}

/** A text at the end, where a fault is to go on with one. */
function withFaultyEnd(drafts: readonly Draft[], { bigevent, endless }: Faults): readonly Draft[] {
  const isNeeded = bigevent !== undefined || endless !== undefined;
  if (!isNeeded || drafts.at(-1)?.kind === "text") return drafts;
  return [...drafts, { kind: "text", text: "", citations: [] }];
}

function stopOf(
  { drafts, end }: CutAnswer,
  isRefused: boolean,
  isContextFull: boolean,
  { finish, toolquirks }: Faults,
): Stop {
  if (finish !== undefined) return stop(finish.reason);
  if (end.kind === "length")
    return stop(isContextFull ? "model_context_window_exceeded" : "max_tokens");
  if (end.kind === "stop") return { ...stop("stop_sequence"), stop_sequence: end.sequence };
  if (isRefused) {
    const details = { type: "refusal", category: null, explanation: null };
    return { ...stop("refusal"), stop_details: details };
  }
  const isCall = drafts.some((draft) => draft.kind === "call") && toolquirks?.style !== "stop";
  return stop(isCall ? "tool_use" : "end_turn");
}

function stop(reason: string): Stop {
  return { stop_reason: reason, stop_sequence: null, stop_details: null };
}

function containerOf(
  drafts: readonly Draft[],
  given: string | undefined,
  nowMs: number,
): JsonObject | undefined {
  const isUsed = drafts.some((draft) => draft.kind === "server_result" && draft.run.usesContainer);
  if (!isUsed) return undefined;
  const expires = new Date(nowMs + CONTAINER_LIFE_MS).toISOString();
  return { id: given ?? newId("container"), expires_at: expires };
}

const CONTAINER_LIFE_MS = 3_600_000;

/** The input that the model reads; a failed search is not counted. */
export function meterRun(
  meter: UsageMeter,
  { run }: Extract<Draft, { kind: "server_result" }>,
): void {
  const tokens = run.findings.reduce((sum, { text }) => sum + countTokens(text), 0);
  meter.ranTool(run.name, run.findings.length > 0, tokens);
}
