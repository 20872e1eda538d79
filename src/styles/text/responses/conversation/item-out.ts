import type {
  Block,
  MediaBlock,
  Message,
  ReasoningBlock,
  ToolCallBlock,
  ToolResultBlock,
} from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, textOf } from "#lib/values.ts";
import { blockWriter, type WrittenBlock } from "#styles/text/block-table.ts";
import { isMedia } from "#styles/text/media.ts";
import { memberReporter } from "#styles/text/member-table.ts";
import { withBreakpoint, type Life } from "#styles/text/prompt-cache.ts";
import { fitName, ownName } from "#styles/text/tool-names.ts";
import { fitCallId } from "./call-id.ts";
import { clientCallIn, clientResultIn } from "./client-tools.ts";
import { buildPart, buildSaid, MEMBERS, reportMembers, textIn, type Place } from "./part-out.ts";
import { isOwn, ITEMS_AFTER, ITEMS_BEFORE, itemOf, RESPONSES, rawFieldsOf } from "../raw-fields.ts";

/** The items of one message, in the order of its blocks. */
export function buildItems(message: Message, at: Place): readonly JsonObject[] {
  if (!isOwn(message)) reportLosses(message, at);
  const items = message.role === "assistant" ? modelItems(message, at) : otherItems(message, at);
  return [...itemsIn(message, ITEMS_BEFORE), ...items, ...itemsIn(message, ITEMS_AFTER)];
}

function itemsIn(message: Message, name: string): readonly JsonObject[] {
  return listOf(rawFieldsOf(message)?.[name]).filter(isObject);
}

/** Marks and notes that this style has no place for. */
function reportLosses(message: Message, at: Place): void {
  reportMessage(message, at);
  reportMembers(message.blocks, at);
}

const reportMessage = memberReporter<Message, Place>({
  extra: { foreignTo: RESPONSES },
  name: { lost: "messages.name", isPlaced: true },
  role: "written",
  blocks: "written",
  rawFields: "written",
});

function modelItems({ blocks }: Message, at: Place): readonly JsonObject[] {
  const items: (JsonObject | undefined)[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    if (block === undefined) continue;
    if (isSaid(block)) {
      const said = saidTogether(blocks, index);
      index += said.length - 1;
      const built = buildMessageItem(said);
      items.push(itemOf(block) === undefined ? inPhase(built, blocks.slice(index + 1), at) : built);
      continue;
    }
    items.push(ITEMS.hasPlace(block, at) ? ITEMS.build(block, at) : undefined);
  }
  return items.filter((item) => item !== undefined);
}

/** What a model says before it calls a tool is no answer yet. What a caller of this style wrote says so itself. */
function inPhase(
  item: JsonObject | undefined,
  rest: readonly Block[],
  { model }: Place,
): JsonObject | undefined {
  if (item === undefined || model.rules?.phases !== true) return item;
  const calls = rest.some(({ type }) => type === "tool_call");
  return { ...item, phase: calls ? "commentary" : "final_answer" };
}

/** Part of a message: words, and whatever else a caller of this style put among them. */
function isSaid(block: Block): boolean {
  return (
    block.type === "text" || block.type === "refusal" || itemOf(block)?.["role"] === "assistant"
  );
}

/** Blocks in a row, as far as they were one item. */
function saidTogether(blocks: readonly Block[], from: number): readonly Block[] {
  const first = blocks[from];
  const item = first === undefined ? undefined : itemOf(first);
  let end = from + 1;
  for (; end < blocks.length; end++) {
    const next = blocks[end];
    if (next === undefined || !isSaid(next) || itemOf(next) !== item) break;
  }
  return blocks.slice(from, end);
}

/** A plain string is what every server of this style takes. */
function buildMessageItem(said: readonly Block[]): JsonObject | undefined {
  const [first] = said;
  const item = first === undefined ? undefined : itemOf(first);
  if (item === undefined) {
    if (said.some(({ type }) => type === "refusal")) {
      return { role: "assistant", content: said.map(buildSaid) };
    }
    const text = said.map(textIn).join("");
    return text === "" ? undefined : { role: "assistant", content: text };
  }
  if (typeof item["content"] === "string") {
    const text = said.map(textIn).join("");
    return text === item["content"] ? item : { ...item, content: text };
  }
  const parts = said.map(buildSaid);
  return isSameList(parts, item["content"]) ? item : { ...item, content: parts };
}

/** Servers that show their reasoning instead of proving it take it back as it is. */
function shownReasoning(block: ReasoningBlock): JsonObject | undefined {
  const item = itemOf(block);
  const isShown = block.signature === undefined && listOf(item?.["content"]).length > 0;
  return isShown ? item : undefined;
}

/**
 * Only what an upstream of this style made goes back to one, and only whole:
 * nothing is kept there that an id alone could name.
 */
function buildReasoningItem(block: ReasoningBlock): JsonObject | undefined {
  const { signature, text } = block;
  const item = itemOf(block);
  if (signature === undefined) return item;
  if (item?.["encrypted_content"] === signature.value) return item;
  return defined({
    type: "reasoning",
    id: textOf(block.extra?.[RESPONSES]?.["id"]),
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    encrypted_content: signature.value,
  });
}

function buildCallItem(block: ToolCallBlock): JsonObject {
  const { kind, arguments: args } = block;
  const written = itemOf(block);
  const call_id = fitCallId(block.id);
  if (written !== undefined && clientCallIn(written) !== undefined) return { ...written, call_id };
  // A caller of this style may have a namespace for it, which stands beside its name.
  const name =
    written === undefined ? fitName(block.name) : ownName(textOf(written["name"]) ?? block.name);
  return kind === "custom"
    ? { ...written, type: "custom_tool_call", call_id, name, input: args }
    : { ...written, type: "function_call", call_id, name, arguments: args === "" ? "{}" : args };
}

/** Results stand as items of their own among what is said. */
function otherItems(message: Message, at: Place): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let said: Block[] = [];
  const say = (): void => {
    const item = said.length === 0 ? undefined : buildSpoken(message, said, at);
    if (item !== undefined) items.push(item);
    said = [];
  };
  for (const block of message.blocks) {
    if (block.type === "tool_result") {
      say();
      items.push(buildResultItem(block, message, at));
    } else if (block.type === "other" && block.data === itemOf(message)) {
      items.push(block.data);
    } else said.push(block);
  }
  say();
  return message.blocks.length === 0 ? [itemOf(message) ?? spokenBy(message, "")] : items;
}

function buildSpoken(
  message: Message,
  blocks: readonly Block[],
  at: Place,
): JsonObject | undefined {
  const item = itemOf(message);
  const [only] = blocks;
  if (item !== undefined && typeof item["content"] === "string") {
    const text = blocks.map(textIn).join("");
    if (!blocks.some(isMedia)) return text === item["content"] ? item : { ...item, content: text };
  }
  const isMarked = only !== undefined && at.marks.has(only);
  if (item === undefined && blocks.length === 1 && only?.type === "text" && !isMarked) {
    return spokenBy(message, only.text);
  }
  if (item !== undefined && typeof item["type"] === "string" && item["type"] !== "message") {
    return item;
  }
  const parts = blocks.map((block) => buildPart(block, at)).filter((part) => part !== undefined);
  if (item !== undefined) {
    return isSameList(parts, item["content"]) ? item : { ...item, content: parts };
  }
  return parts.length === 0 ? undefined : spokenBy(message, parts);
}

function spokenBy({ role }: Message, content: Json): JsonObject {
  return { role: role === "system" || role === "developer" ? role : "user", content };
}

function buildResultItem(result: ToolResultBlock, message: Message, at: Place): JsonObject {
  const item = itemOf(message);
  if (item !== undefined && clientResultIn(item) !== undefined) {
    return {
      ...item,
      ...(item["call_id"] === undefined ? {} : { call_id: fitCallId(result.callId) }),
    };
  }
  const output = buildOutput(result, item, at);
  return {
    ...item,
    // Which of the two it is, the call says; see `repairItems`.
    type: item?.["type"] ?? "function_call_output",
    call_id: fitCallId(result.callId),
    output: markEnd(result.isError === true ? marked(output) : output, at.marks.get(result)),
  };
}

function buildOutput({ blocks }: ToolResultBlock, item: JsonObject | undefined, at: Place): Json {
  const isPlain = blocks.every((block) => block.type === "text" || block.type === "reasoning");
  const written = item?.["output"];
  if (isPlain && (item === undefined || typeof written === "string")) {
    return blocks
      .filter((block) => block.type === "text")
      .map(textIn)
      .join("\n\n");
  }
  const parts = blocks.map((block) => buildPart(block, at)).filter((part) => part !== undefined);
  return written !== undefined && isSameList(parts, written) ? written : parts;
}

function markEnd(output: Json, life: Life | undefined): Json {
  if (life === undefined) return output;
  const parts =
    typeof output === "string" ? [{ type: "input_text", text: output }] : listOf(output);
  const last = parts.at(-1);
  return isObject(last) ? [...parts.slice(0, -1), withBreakpoint(last, life)] : output;
}

/** There is no flag for a failed tool, but the model must be able to see it. */
function marked(output: Json): Json {
  if (typeof output !== "string") {
    return [{ type: "input_text", text: "Error:" }, ...listOf(output).filter(isObject)];
  }
  return output.toLowerCase().startsWith("error") ? output : `Error: ${output}`;
}

/** Each part as it was written. */
function isSameList(parts: readonly JsonObject[], written: Json | undefined): boolean {
  const list = listOf(written);
  return list.length === parts.length && parts.every((part, index) => part === list[index]);
}

/** A model's media are known to its own style only. */
const SHOWN: WrittenBlock<MediaBlock, Place, JsonObject> = {
  members: MEMBERS.image,
  fits: (block) => itemOf(block) !== undefined,
  build: itemOf,
};

/** Blocks of a model besides words. The losses of members are reported by message. */
const ITEMS = blockWriter<Place, JsonObject>({
  text: { elsewhere: "words are joined in messages" },
  refusal: { elsewhere: "words are joined in messages" },
  reasoning: {
    members: MEMBERS.reasoning,
    fits: (block) => block.signature?.issuer === RESPONSES || shownReasoning(block) !== undefined,
    build: buildReasoningItem,
  },
  tool_call: { members: MEMBERS.tool_call, build: buildCallItem },
  tool_result: { elsewhere: "models return no results" },
  image: SHOWN,
  audio: SHOWN,
  video: SHOWN,
  file: SHOWN,
  // A server's own tool at work.
  other: {
    members: MEMBERS.other,
    fits: (block) => block.style === RESPONSES || itemOf(block) !== undefined,
    build: (block) => (block.style === RESPONSES ? block.data : itemOf(block)),
  },
});
