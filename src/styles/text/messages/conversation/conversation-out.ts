import type { ChatRequest, Message } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { memberReporter, type Reporting } from "#styles/text/member-table.ts";
import { withoutCitations } from "../request/asked-citations.ts";
import { GO_ON } from "../request/fit-request.ts";
import { withoutEmptyTexts } from "./empty-texts.ts";
import { buildBlock, isBare, type Place } from "./block-out.ts";
import { isGenuine } from "./proof.ts";
import { measuresItself } from "./reasoning-out.ts";
import { MESSAGES, rawFieldsOf } from "../raw-fields.ts";
import type { Placed } from "./turn.ts";
import { turnsOf } from "./turns.ts";

export interface Conversation {
  readonly system: Json | undefined;
  readonly messages: readonly JsonObject[];
  /** Thinking was left out of it, whose proof no upstream of this style would know. */
  readonly lacksThinking: boolean;
}

/** A caller of this style has written it in the right order already. */
export function buildConversation(
  request: ChatRequest,
  { report, model }: OutboundContext,
): Conversation {
  const isOwn = rawFieldsOf(request) !== undefined;
  for (const message of request.messages) reportMessage(message, { report, isOwn });
  const lacksThinking = request.messages.some(({ blocks }) =>
    blocks.some((block) => block.type === "reasoning" && !isGenuine(block)),
  );
  if (isOwn) return { ...ownConversation(request, report), lacksThinking };
  const { system, messages } = inTurns(request, report);
  const takesPrefill = model.rules?.prefill ?? !measuresItself(model.reasoningControls);
  const isEndless = messages.at(-1)?.role === "assistant" && !takesPrefill;
  if (!isEndless) return { system, messages, lacksThinking };
  report.lose("messages.prefill");
  return { system, messages: [...messages, GO_ON], lacksThinking };
}

const reportMessage = memberReporter<Message, Reporting & { readonly isOwn: boolean }>({
  extra: { foreignTo: MESSAGES },
  name: { lost: "messages.name", isPlaced: true, unless: (_, __, { isOwn }) => isOwn },
  // Instructions amid the conversation are reported with their blocks.
  role: "written",
  blocks: "written",
  rawFields: "written",
});

interface Said extends JsonObject {
  readonly role: string;
}

function ownConversation(
  { messages }: ChatRequest,
  report: LossReport,
): Pick<Conversation, "system" | "messages"> {
  const isField = (message: Message): boolean => rawFieldsOf(message)?.["field"] === "system";
  const system = messages.find(isField);
  const said = messages
    .filter((message) => !isField(message))
    .flatMap((message) => {
      const role = roleOf(message);
      const content = contentOf(message, { role, path: "messages", report });
      // Nothing is left of a turn that was all thinking of another vendor's, or said nothing.
      const isGone = content.length === 0 && typeof content !== "string";
      return isGone ? [] : [{ ...withoutCitations(message.extra?.[MESSAGES]), role, content }];
    });
  return {
    system:
      system === undefined
        ? undefined
        : contentOf(system, { role: "system", path: "system", report }),
    messages: said,
  };
}

function roleOf({ role }: Message): Place["role"] {
  return role === "assistant" || role === "system" ? role : "user";
}

function contentOf(message: Message, at: Place): string | readonly JsonObject[] {
  const [first] = message.blocks;
  const isText = rawFieldsOf(message)?.["text"] === true && message.blocks.length === 1;
  if (isText && first?.type === "text") return first.text;
  const built = message.blocks.map((block) => buildBlock(block, at));
  const content = built.filter((one) => one !== undefined);
  return at.role === "assistant" ? withoutEmptyTexts(content) : content;
}

function inTurns(
  request: ChatRequest,
  report: LossReport,
): { readonly system: Json | undefined; readonly messages: readonly Said[] } {
  const { system, turns } = turnsOf(request, report);
  const instructions = built(system, "system", report);
  const messages = turns
    .map(({ role, blocks }) => ({ role, content: built(blocks, role, report) }))
    .filter(({ content }) => content.length > 0);
  return {
    system: instructions.length === 0 ? undefined : plain(instructions),
    messages: messages.map(({ role, content }, index) => ({
      role,
      content: plain(index === messages.length - 1 ? trimmed(role, content) : content),
    })),
  };
}

/** What the model is to go on from must not end in blanks. */
function trimmed(role: Place["role"], content: readonly JsonObject[]): readonly JsonObject[] {
  const last = content.at(-1);
  const text = last?.["text"];
  if (role !== "assistant" || typeof text !== "string") return content;
  return [...content.slice(0, -1), { ...last, text: text.trimEnd() }];
}

function built(
  placed: readonly Placed[],
  role: Place["role"],
  report: LossReport,
): readonly JsonObject[] {
  return placed
    .map(({ block, path }) => buildBlock(block, { role, path, report }))
    .filter((one) => one !== undefined);
}

/** A single text without anything beside it needs no block. */
function plain(content: readonly JsonObject[]): Json {
  const [first] = content;
  const isPlain = content.length === 1 && first?.["type"] === "text" && isBare(first);
  return isPlain ? (first["text"] ?? "") : content;
}
