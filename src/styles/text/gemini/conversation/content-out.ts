import type { Message, ToolCallBlock } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import type { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { memberReporter, type Reporting } from "#styles/text/member-table.ts";
import { buildAnswers } from "../answer/answers-out.ts";
import { partsOf, type Place } from "./part-out.ts";
import { isNewest, proven } from "./proof.ts";
import { GEMINI, GOES_ON, rawFieldsOf } from "../raw-fields.ts";
import { countLeading, isInstruction, toTurns, type Turn } from "./turns.ts";

interface Contents {
  readonly contents: readonly JsonObject[];
  readonly systemInstruction?: JsonObject;
}

/**
 * The conversation as the vendor takes it: both sides in turn, every call
 * answered in the content after it, by as many results in the same order. What
 * callers of this style wrote keeps the structure they gave it.
 */
export function buildContents(messages: readonly Message[], context: OutboundContext): Contents {
  const { report, model } = context;
  const namesCalls = model.rules?.callIds === true;
  const leading = countLeading(messages);
  for (const [index, message] of messages.entries()) {
    reportMessage(message, { report, isLeading: index < leading });
  }
  const { instructions, turns } = toTurns(messages);
  const contents: JsonObject[] = [];
  const asked = lastQuestion(turns);
  let unanswered: readonly ToolCallBlock[] = [];
  let drawn: readonly JsonObject[] = [];

  for (const [index, turn] of turns.entries()) {
    const at: Place = { path: `messages[${turn.index}]`, report, namesCalls };
    const isCurrent = index > asked && isNewest(context.model);
    if (turn.written !== undefined) {
      const parts = partsOf(turn.blocks, at);
      contents.push({
        role: turn.role,
        ...around(turn.written),
        parts: withProof(parts, isCurrent, report),
      });
    } else if (turn.role === "user") {
      const answers = buildAnswers(unanswered, turn.blocks, isNewest(context.model), at);
      const parts = [...drawn, ...answers];
      if (parts.length > 0) contents.push({ role: "user", parts });
      unanswered = [];
      drawn = [];
    } else {
      const said = partsOf(turn.blocks, { ...at, isModels: true });
      const isMoved = (part: JsonObject): boolean => provesPictures(context) && isUnproven(part);
      const parts = said.filter((part) => !isMoved(part));
      drawn = [...drawn, ...said.filter(isMoved)];
      unanswered = turn.blocks.filter((block) => block.type === "tool_call");
      // A call has to follow what it was made for.
      if (unanswered.length > 0 && contents.length === 0) {
        report.lose("messages.content", messages[turn.index]);
        contents.push(OPENING);
      }
      if (parts.length > 0)
        contents.push({ role: "model", parts: withProof(parts, isCurrent, report) });
    }
  }
  if (unanswered.length > 0) {
    const at: Place = { path: "messages", report, namesCalls };
    contents.push({
      role: "user",
      parts: buildAnswers(unanswered, [], isNewest(context.model), at),
    });
  }
  if (drawn.length > 0) contents.push({ role: "user", parts: drawn });
  const systemInstruction = buildInstruction(instructions, context);
  return { contents, ...(systemInstruction === undefined ? {} : { systemInstruction }) };
}

/** What stands in for a proof says that the reasoning behind it is gone. */
function withProof(
  parts: readonly JsonObject[],
  isNeeded: boolean,
  report: LossReport,
): readonly Json[] {
  const written = proven(parts, isNeeded);
  if (written !== parts) report.lose("reasoning");
  return written;
}

const OPENING: JsonObject = { role: "user", parts: [{ text: "(The conversation begins here.)" }] };

/**
 * Models that think and draw refuse a picture of theirs without its proof,
 * which callers of other styles cannot hand back: then it is shown by the user.
 */
function provesPictures({ model }: OutboundContext): boolean {
  return model.reasoningControls !== undefined && model.output?.includes("image") === true;
}

function isUnproven(part: JsonObject): boolean {
  return part["inlineData"] !== undefined && part["thoughtSignature"] === undefined;
}

const reportMessage = memberReporter<Message, Reporting & { readonly isLeading: boolean }>({
  extra: { foreignTo: GEMINI },
  name: { lost: "messages.name", isPlaced: true },
  role: {
    lost: "messages.role",
    isPlaced: true,
    // The style has a place for instructions at the head only.
    unless: (_, message, { isLeading }) => isLeading || !isInstruction(message),
  },
  blocks: "written",
  rawFields: "written",
});

function buildInstruction(
  instructions: readonly Message[],
  { report }: OutboundContext,
): JsonObject | undefined {
  const parts = instructions.flatMap((message, index) =>
    partsOf(message.blocks, { path: `messages[${index}]`, report }),
  );
  const [first] = instructions;
  return parts.length === 0 || first === undefined ? undefined : { ...around(first), parts };
}

/** What stands around the parts that a caller of this style wrote. */
function around(message: Message): JsonObject {
  const { [GOES_ON]: _, ...written } = rawFieldsOf(message) ?? {};
  return { ...message.extra?.[GEMINI], ...written };
}

/** The last turn in which the user says something; what follows is the current turn's steps. */
function lastQuestion(turns: readonly Turn[]): number {
  return turns.findLastIndex(
    ({ role, blocks }) => role === "user" && !blocks.some((block) => block.type === "tool_result"),
  );
}
