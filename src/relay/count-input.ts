import type { Block, ChatRequest, Message, Tool } from "#core/chat.ts";
import { DEFAULT_COUNTING, type Counting } from "#core/counting.ts";
import type { ModelTraits } from "#core/model.ts";
import { countTokens } from "./tokens.ts";

/**
 * Tokens of a question in any style: system, messages, tools, media by the
 * piece. The words by one tokenizer, the rest by what the model's family adds
 * to them. Earlier reasoning is not counted: vendors leave it out as well.
 */
export async function countInput(request: ChatRequest, traits: ModelTraits): Promise<number> {
  const counting = { ...DEFAULT_COUNTING, ...traits.counting };
  const texts: string[] = [];
  let fixed = counting.perRequest + counting.perMessage * Math.max(0, turnsOf(request) - 1);

  for (const message of request.messages) {
    for (const block of message.blocks) fixed += countBlock(block, texts, counting);
    if (message.name !== undefined) texts.push(message.name);
  }
  const tools = request.tools ?? [];
  if (tools.length > 0) fixed += counting.toolPrompt + counting.perTool * tools.length;
  for (const tool of tools) texts.push(describe(tool));
  if (request.format?.type === "json_schema")
    texts.push(JSON.stringify(request.format.schema ?? {}));

  let words = 0;
  for (const text of texts) words += await countTokens(text);
  return Math.max(1, Math.round(fixed + words * stretch(words, counting)));
}

/** Long texts show a tokenizer's difference in full, short ones hardly. */
function stretch(words: number, { textFactor, fullFactorTokens }: Counting): number {
  return 1 + (textFactor - 1) * Math.min(1, words / fullFactorTokens);
}

/** Adds a block's words to `texts`; returns what it costs besides. */
function countBlock(block: Block, texts: string[], counting: Counting): number {
  switch (block.type) {
    case "text":
    case "refusal":
      texts.push(block.text);
      return 0;
    case "reasoning":
      return 0;
    case "tool_call":
      texts.push(block.name, block.arguments);
      return counting.perToolBlock;
    case "tool_result": {
      let fixed = counting.perToolBlock;
      for (const inner of block.blocks) fixed += countBlock(inner, texts, counting);
      return fixed;
    }
    case "image":
      return counting.image;
    case "audio":
    case "video":
    case "file":
      if (block.transcript !== undefined) texts.push(block.transcript);
      return counting.media;
    case "other":
      texts.push(JSON.stringify(block.data));
      return 0;
  }
}

function turnsOf({ messages }: ChatRequest): number {
  return messages.filter(
    (message: Message) => message.role !== "system" && message.role !== "developer",
  ).length;
}

function describe({ name, description = "", parameters = {} }: Tool): string {
  return JSON.stringify({ name, description, parameters });
}
