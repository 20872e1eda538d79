import type { Block, ChatRequest } from "#core/chat.ts";
import { DEFAULT_COUNTING, type Counting } from "#core/counting.ts";
import type { ModelTraits } from "#core/model.ts";
import type { Json } from "#lib/json.ts";
import { countTexts } from "./tokens.ts";
import { toolText } from "./tool-text.ts";

/**
 * Input tokens of a request in any style: instructions, turns, tools, and a fixed number per
 * medium. The text is counted by one tokenizer, and adjusted by a factor of the model family.
 * Content that a vendor's own tools add is unknown before the call.
 */
export async function countInput(request: ChatRequest, traits: ModelTraits): Promise<number> {
  const counting = countingOf(traits);
  const { words, tools, format, reasoning, fixed } = takeApart(request, counting);
  const tokens =
    fixed +
    inFamily(
      (await countTexts(words)) + counting.reasoningFactor * (await countTexts(reasoning)),
      counting,
    ) +
    counting.toolFactor * (await countTexts(tools)) +
    counting.formatFactor * (await countTexts(format));
  return Math.max(1, Math.round(tokens));
}

/**
 * Tokens of a text for the model's family, such as its output. `countedBefore`: tokens by the
 * common tokenizer.
 */
export async function countText(
  text: string,
  traits: ModelTraits,
  countedBefore = 0,
): Promise<number> {
  return inFamily(countedBefore + (await countTexts([text])), countingOf(traits));
}

/** Tokens of texts that are no conversation. */
export async function countWords(words: readonly string[], traits: ModelTraits): Promise<number> {
  return inFamily(await countTexts(words), countingOf(traits));
}

function countingOf({ counting }: ModelTraits): Counting {
  return { ...DEFAULT_COUNTING, ...counting };
}

/** The tokenizer difference applies in full to long texts, and hardly to short ones. */
function inFamily(words: number, { textFactor, fullFactorTokens }: Counting): number {
  return words * (1 + (textFactor - 1) * Math.min(1, words / fullFactorTokens));
}

interface Parts {
  readonly words: string[];
  readonly reasoning: string[];
  readonly tools: readonly string[];
  readonly format: readonly string[];
  /** Fixed number of tokens around the content. */
  fixed: number;
}

function takeApart(request: ChatRequest, counting: Counting): Parts {
  const { messages, tools = [], format, toolChoice } = request;
  const schema = format?.type === "json_schema" ? format.schema : undefined;
  const systems = messages.filter(({ role }) => role === "system" || role === "developer").length;
  const isForced = toolChoice?.mode === "required" || toolChoice?.mode === "named";
  const parts: Parts = {
    words: [],
    reasoning: [],
    tools: tools.map((tool) => toolText(tool, counting.toolText)),
    format: schema === undefined ? [] : [JSON.stringify(schema)],
    fixed:
      counting.perRequest +
      counting.perSystem * systems +
      counting.perMessage * Math.max(0, messages.length - systems - 1) +
      (schema === undefined ? 0 : counting.formatPrompt) +
      (thinks(request) ? counting.thinking : 0),
  };
  if (tools.length > 0) {
    parts.fixed += counting.toolPrompt + counting.perTool * tools.length;
    if (isForced) parts.fixed += counting.forcedTool;
  }
  for (const { name, blocks } of messages) {
    if (name !== undefined) parts.words.push(name);
    for (const block of blocks) addBlock(parts, block, counting);
  }
  return parts;
}

/** These efforts add no instruction to the prompt. */
const LITTLE: readonly unknown[] = ["none", "minimal", "low"];

function thinks({ reasoning }: ChatRequest): boolean {
  if (reasoning === undefined || reasoning.enabled === false) return false;
  const { enabled, effort, budgetTokens } = reasoning;
  if (effort !== undefined) return !LITTLE.includes(effort);
  return budgetTokens === undefined ? enabled === true : budgetTokens !== 0;
}

function addBlock(parts: Parts, block: Block, counting: Counting): void {
  switch (block.type) {
    case "text":
    case "refusal":
      parts.words.push(block.text);
      break;
    case "reasoning":
      parts.reasoning.push(block.text);
      parts.fixed += counting.perSealChar * (block.signature?.value.length ?? 0);
      break;
    case "tool_call":
      parts.words.push(block.name, block.arguments);
      parts.fixed += counting.perToolBlock;
      parts.fixed += counting.perSealChar * (block.signature?.value.length ?? 0);
      break;
    case "tool_result":
      parts.fixed += counting.perToolBlock;
      for (const inner of block.blocks) addBlock(parts, inner, counting);
      break;
    case "image":
      parts.fixed += counting.image;
      break;
    case "audio":
    case "video":
    case "file":
      if (block.transcript !== undefined) parts.words.push(block.transcript);
      parts.fixed += counting.media;
      break;
    case "other":
      parts.words.push(
        JSON.stringify(block.data, (_, value: Json) => (isOpaque(value) ? "" : value)),
      );
  }
}

const LONGEST_WORD = 200;

/** Encrypted or encoded: long, with no space near its start. */
function isOpaque(value: Json): boolean {
  return (
    typeof value === "string" &&
    value.length > LONGEST_WORD &&
    !/\s/.test(value.slice(0, LONGEST_WORD))
  );
}
