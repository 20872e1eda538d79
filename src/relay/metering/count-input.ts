import type { Block, ChatRequest } from "#core/chat.ts";
import { DEFAULT_COUNTING, type Counting } from "#core/counting.ts";
import type { ModelTraits } from "#core/model.ts";
import type { Json } from "#lib/json.ts";
import { countTexts } from "./tokens.ts";
import { toolText } from "./tool-text.ts";

/**
 * Tokens of a question in any style: instructions, turns, tools, media by the
 * piece. The words by one tokenizer, the rest by what the model's family makes
 * of them. What a vendor's own tools bring in cannot be known beforehand.
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

/** Tokens of a text in the model's own family, such as what it answered. `countedBefore`: by the one tokenizer. */
export async function countText(
  text: string,
  traits: ModelTraits,
  countedBefore = 0,
): Promise<number> {
  return inFamily(countedBefore + (await countTexts([text])), countingOf(traits));
}

function countingOf({ counting }: ModelTraits): Counting {
  return { ...DEFAULT_COUNTING, ...counting };
}

/** Long texts show a tokenizer's difference in full, short ones hardly. */
function inFamily(words: number, { textFactor, fullFactorTokens }: Counting): number {
  return words * (1 + (textFactor - 1) * Math.min(1, words / fullFactorTokens));
}

interface Parts {
  readonly words: string[];
  readonly reasoning: string[];
  readonly tools: readonly string[];
  readonly format: readonly string[];
  /** What stands around them, in tokens. */
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

/** Models that are to think little are not told so. */
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

/** Sealed or encoded: long, and not a space in its beginning. */
function isOpaque(value: Json): boolean {
  return (
    typeof value === "string" &&
    value.length > LONGEST_WORD &&
    !/\s/.test(value.slice(0, LONGEST_WORD))
  );
}
