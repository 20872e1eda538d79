import type { Block, Message, ToolResultBlock } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, pick } from "#lib/values.ts";
import { fitId } from "./call-ids.ts";
import { buildCall } from "./call-out.ts";
import type { ChatDialect } from "../request/dialect.ts";
import { buildPart, hasPlace, reportPlain, type Place } from "./part-out.ts";
import { isMedia } from "#styles/text/media.ts";
import { memberReporter } from "#styles/text/member-table.ts";
import { withBreakpoint, type BreakpointPlan, type Life } from "#styles/text/prompt-cache.ts";
import { membersOf } from "#styles/text/request-fields.ts";
import { ownName } from "#styles/text/tool-names.ts";
import { reasoningBack } from "./reasoning-back.ts";
import { CHAT, isOwn, rawFieldsOf } from "../raw-fields.ts";

export function buildMessages(
  messages: readonly Message[],
  dialect: ChatDialect,
  report: LossReport,
  marks: BreakpointPlan["marks"],
): readonly JsonObject[] {
  const wire: JsonObject[] = [];
  // Media that a tool returned: only users may show any, and every result must
  // follow its call at once, so they wait for the last result of the run.
  let shown: Json[] = [];
  const show = (): void => {
    if (shown.length > 0) wire.push({ role: "user", content: shown });
    shown = [];
  };

  for (const [index, message] of messages.entries()) {
    const at: Place = { path: `messages[${index}]`, message, dialect, report, marks };
    reportMessage(message, at);
    const results = message.blocks.filter((block) => block.type === "tool_result");
    const others = message.blocks.filter((block) => block.type !== "tool_result");
    if (results.length === 0) show();
    for (const result of results) {
      wire.push(buildResult(result, at));
      if (!isOwn(message)) shown.push(...buildParts(result.blocks.filter(isMedia), asUsers(at)));
    }
    const said = isOwn(message) ? others : others.filter((block) => hasPlace(block, at));
    const isEmptied = said.length === 0 && message.blocks.length > 0;
    if (isEmptied) continue;
    show();
    wire.push(buildMessage(message, said, at));
  }
  show();
  return wire;
}

function buildMessage(message: Message, blocks: readonly Block[], at: Place): JsonObject {
  const name = message.name;
  if (message.role !== "assistant") {
    const role = roleOf(message);
    return defined({
      ...message.extra?.[CHAT],
      ...cacheOf(message),
      role,
      content: contentOf(blocks, at),
      name,
    });
  }

  const calls = blocks.flatMap((block) => buildCall(block, at));
  const refusal = blocks.filter((block) => block.type === "refusal" && !hasParts(message));
  const spoken = blocks.find(
    (block) => block.type === "audio" && block.source.kind === "reference",
  );
  const drawn = blocks.filter((block) => isDrawn(block, message));
  const said = blocks.filter((block) => isContent(block, at) && !drawn.includes(block));
  const isSilent =
    said.length === 0 &&
    (calls.length > 0 || refusal.length > 0 || spoken !== undefined || drawn.length > 0);
  return defined({
    ...message.extra?.[CHAT],
    ...cacheOf(message),
    role: "assistant",
    content: isSilent ? null : contentOf(said, at),
    ...membersOf(reasoningBack(message, blocks, at.dialect), at.report),
    refusal: refusal.length > 0 ? refusal.map(textOf).join("") : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
    ...(drawn.length > 0 ? { images: buildParts(drawn, at) } : {}),
    audio: spoken === undefined ? undefined : { id: referenceOf(spoken) },
    name,
  });
}

/** The newer word for the system's role is known to few, and means the same. */
function roleOf(message: Message): string {
  if (message.role === "tool") return "user";
  return message.role === "developer" && !isOwn(message) ? "system" : message.role;
}

const reportMessage = memberReporter<Message, Place>({
  extra: { foreignTo: CHAT },
  role: "written",
  blocks: "written",
  name: "written",
  rawFields: "written",
});

/** The place where a user shows a tool's media. */
function asUsers(at: Place): Place {
  return { ...at, message: { ...at.message, role: "user" } };
}

/** Made by the model: a caller of this style may also have put pictures among the words. */
function isDrawn(block: Block, message: Message): boolean {
  if (block.type !== "image") return false;
  return isOwn(message) ? block.extra?.[CHAT]?.["isDrawn"] === true : true;
}

/** What belongs into an assistant's `content`; the rest has members of its own. */
function isContent(block: Block, { message }: Place): boolean {
  switch (block.type) {
    case "text":
      return true;
    case "refusal":
      return hasParts(message);
    case "reasoning":
      return block.extra?.[CHAT]?.["part"] !== undefined;
    case "audio":
      return block.source.kind !== "reference";
    case "image":
    case "video":
    case "file":
      return true;
    case "other":
      return block.data["tool_call"] === undefined;
    case "tool_call":
    case "tool_result":
      return false;
  }
}

function cacheOf(message: Message): Record<string, Json> {
  return pick(rawFieldsOf(message) ?? {}, ["cache_control"]);
}

function buildResult(result: ToolResultBlock, at: Place): JsonObject {
  const own = isOwn(at.message);
  const life = at.marks.get(result);
  const all = life === undefined ? result.blocks : result.blocks.map(unmarked);
  const blocks = own ? all : all.filter((block) => !isMedia(block) && hasPlace(block, at));
  const shows = blocks.length === 0 && result.blocks.some(isMedia);
  const content = shows ? SHOWN_NEXT : contentOf(blocks, at);
  return defined({
    ...at.message.extra?.[CHAT],
    ...cacheOf(at.message),
    role: "tool",
    tool_call_id: own ? result.callId : fitId(result.callId),
    content: markEnd(result.isError === true ? marked(content) : content, life),
    // Others find it by its call, and several vendors refuse it.
    name: own && result.name !== undefined ? ownName(result.name) : undefined,
  });
}

function unmarked(block: Block): Block {
  const { cache: _, ...rest } = block;
  return rest;
}

function markEnd(content: Json, life: Life | undefined): Json {
  if (life === undefined) return content;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
  const last = parts.at(-1);
  return isObject(last) ? [...parts.slice(0, -1), withBreakpoint(last, life)] : content;
}

/** In place of nothing, where all that a tool returned is for the eye or the ear. */
const SHOWN_NEXT = "What the tool returned is shown in the next message.";

/** There is no flag for a failed tool, but the model must be able to see it. */
function marked(content: Json): Json {
  if (typeof content !== "string") return content;
  return content.toLowerCase().startsWith("error") ? content : `Error: ${content}`;
}

/**
 * Parts stay parts where the caller wrote parts or there is more than text.
 * Otherwise it is one string: many servers take nothing else.
 */
function contentOf(blocks: readonly Block[], at: Place): Json {
  const isPlain = blocks.every(
    (block) => (block.type === "text" || block.type === "reasoning") && !at.marks.has(block),
  );
  if (isPlain && !hasParts(at.message)) {
    reportPlain(blocks, at);
    const texts = blocks.filter((block) => block.type === "text").map(textOf);
    return texts.join(at.message.role === "assistant" ? "" : "\n\n");
  }
  return buildParts(blocks, at);
}

function buildParts(blocks: readonly Block[], at: Place): Json[] {
  return blocks.map((block) => buildPart(block, at)).filter((part) => part !== undefined);
}

function hasParts(message: Message): boolean {
  return rawFieldsOf(message)?.["parts"] === true;
}

function textOf(block: Block): string {
  return "text" in block ? block.text : "";
}

function referenceOf(block: Block): string {
  return block.type === "audio" && block.source.kind === "reference" ? block.source.id : "";
}
