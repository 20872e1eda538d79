import type { Block, Message, ToolResultBlock } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { buildPart, isMedia, type Place } from "./part-out.ts";
import { CHAT, isOwn, spellingIn } from "./spelling.ts";
import { defined, pick } from "#lib/values.ts";

export function buildMessages(
  messages: readonly Message[],
  report: LossReport,
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
    const at: Place = { path: `messages[${index}]`, message, report };
    report.loseForeign(message.extra, CHAT, "messages.");
    const results = message.blocks.filter((block) => block.type === "tool_result");
    const others = message.blocks.filter((block) => block.type !== "tool_result");
    if (results.length === 0) show();
    for (const result of results) {
      const media = result.blocks.filter(isMedia);
      wire.push(buildResult(result, at));
      if (!isOwn(message))
        shown.push(
          ...media.map((block) => buildPart(block, at)).filter((part) => part !== undefined),
        );
    }
    if (others.length > 0 || results.length === 0) {
      show();
      wire.push(buildMessage(message, others, at));
    }
  }
  show();
  return wire;
}

function buildMessage(message: Message, blocks: readonly Block[], at: Place): JsonObject {
  const name = message.name;
  if (message.role !== "assistant") {
    const role = message.role === "tool" ? "user" : message.role;
    return defined({
      ...message.extra?.[CHAT],
      ...cacheOf(message),
      role,
      content: contentOf(blocks, at),
      name,
    });
  }

  const calls = blocks.flatMap(buildCall);
  const refusal = blocks.filter((block) => block.type === "refusal" && !hasParts(message));
  const spoken = blocks.find(
    (block) => block.type === "audio" && block.source.kind === "reference",
  );
  const said = blocks.filter((block) => isContent(block, at));
  const isSilent =
    said.length === 0 && (calls.length > 0 || refusal.length > 0 || spoken !== undefined);
  return defined({
    ...message.extra?.[CHAT],
    ...cacheOf(message),
    role: "assistant",
    content: isSilent ? null : contentOf(said, at),
    ...reasoningOf(message, blocks, at),
    refusal: refusal.length > 0 ? refusal.map(textOf).join("") : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
    audio: spoken === undefined ? undefined : { id: referenceOf(spoken) },
    name,
  });
}

/** What belongs into an assistant's `content`; the rest has members of its own. */
function isContent(block: Block, { message, report }: Place): boolean {
  switch (block.type) {
    case "text":
      return true;
    case "refusal":
      return hasParts(message);
    case "reasoning":
      return block.extra?.[CHAT]?.["part"] !== undefined;
    case "image":
    case "audio":
    case "video":
    case "file":
      if (block.type === "audio" && block.source.kind === "reference") return false;
      // In this style assistants only speak; what another's showed is left out.
      if (!isOwn(message)) report.lose(`messages.${block.type}`);
      return isOwn(message);
    case "other":
      return block.data["tool_call"] === undefined;
    case "tool_call":
    case "tool_result":
      return false;
  }
}

/** Earlier reasoning goes back only to whoever wrote it this way: others refuse or ignore it. */
function reasoningOf(message: Message, blocks: readonly Block[], at: Place): Record<string, Json> {
  if (isOwn(message)) {
    return pick(spellingIn(message) ?? {}, ["reasoning_content", "reasoning", "reasoning_details"]);
  }
  if (blocks.some((block) => block.type === "reasoning")) at.report.lose("reasoning");
  return {};
}

function cacheOf(message: Message): Record<string, Json> {
  return pick(spellingIn(message) ?? {}, ["cache_control"]);
}

function buildCall(block: Block): readonly JsonObject[] {
  if (block.type === "other") {
    const call = block.data["tool_call"];
    return isObject(call) ? [call] : [];
  }
  if (block.type !== "tool_call") return [];
  const { kind, name, id } = block;
  const called =
    kind === "custom" ? { name, input: block.arguments } : { name, arguments: block.arguments };
  return [{ ...block.extra?.[CHAT], id, type: kind, [kind]: called }];
}

function buildResult(result: ToolResultBlock, at: Place): JsonObject {
  const blocks = isOwn(at.message)
    ? result.blocks
    : result.blocks.filter((block) => !isMedia(block));
  const content = contentOf(blocks, at);
  return defined({
    ...at.message.extra?.[CHAT],
    ...cacheOf(at.message),
    role: "tool",
    tool_call_id: result.callId,
    content: result.isError === true ? marked(content) : content,
    name: result.name,
  });
}

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
  const isPlain = blocks.every((block) => block.type === "text" || block.type === "reasoning");
  if (isPlain && !hasParts(at.message)) {
    if (!isOwn(at.message)) reportMarks(blocks, at.report);
    const texts = blocks.filter((block) => block.type === "text").map(textOf);
    return texts.join(at.message.role === "assistant" ? "" : "\n\n");
  }
  return blocks.map((block) => buildPart(block, at)).filter((part) => part !== undefined);
}

function reportMarks(blocks: readonly Block[], report: LossReport): void {
  if (blocks.some((block) => block.cache !== undefined)) report.lose("cache_control");
  if (blocks.some((block) => block.type === "text" && block.citations !== undefined))
    report.lose("citations");
}

function hasParts(message: Message): boolean {
  return spellingIn(message)?.["parts"] === true;
}

function textOf(block: Block): string {
  return "text" in block ? block.text : "";
}

function referenceOf(block: Block): string {
  return block.type === "audio" && block.source.kind === "reference" ? block.source.id : "";
}
