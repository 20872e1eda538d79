import { checkContents, textOf } from "./contents.ts";
import { invalid } from "./error.ts";
import type { Model } from "./models.ts";
import type { Content } from "./proto/content.ts";
import type { PromptMessage } from "./proto/requests.ts";
import { readTools, type ToolSettings } from "./tools.ts";

/** The input of the model. */
export interface Prompt {
  readonly system: string;
  readonly contents: readonly Content[];
  readonly tools: ToolSettings;
  /** The tools as they were declared, whose tokens count as input. */
  readonly toolsText: string;
}

export function readPrompt(message: PromptMessage, model: Model, root: string): Prompt {
  const contents = checkContents(message.contents, model, root);
  return { ...readSetting(message, model, root), contents };
}

/** What is to be put by for later: it may lack the conversation where it has an instruction. */
export function readCachedPrompt(message: PromptMessage, model: Model, root: string): Prompt {
  const { contents = [], systemInstruction } = message;
  if (contents.length > 0 || systemInstruction === undefined)
    return readPrompt(message, model, root);
  return { ...readSetting(message, model, root), contents: [] };
}

/** A conversation that goes on from a cached one, which has settled everything else. */
export function continuePrompt(
  cached: Prompt,
  { contents = [], systemInstruction, tools, toolConfig }: PromptMessage,
  model: Model,
  root: string,
): Prompt {
  if ((systemInstruction ?? tools ?? toolConfig) !== undefined) {
    throw invalid(
      "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.\n\nProposed fix: move those values to CachedContent from GenerateContent request.",
    );
  }
  const whole = contents.length === 0 ? [] : [...cached.contents, ...contents];
  return { ...cached, contents: checkContents(whole, model, root) };
}

function readSetting(
  { systemInstruction, tools, toolConfig }: PromptMessage,
  model: Model,
  root: string,
): Omit<Prompt, "contents"> {
  return {
    system: systemInstruction === undefined ? "" : textOf(systemInstruction),
    tools: readTools(tools, toolConfig, model, root),
    toolsText: JSON.stringify(tools ?? []),
  };
}
