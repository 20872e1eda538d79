import type { LanguageModelV3Prompt, LanguageModelV3ToolResultPart } from "@ai-sdk/provider";
import type { MediaBlock, Message, ToolResultBlock } from "#core/chat.ts";
import { CHAT } from "#styles/text/chat/raw-fields.ts";
import { memberReporter } from "#styles/text/member-table.ts";
import { writeToolName } from "#styles/text/messages/conversation/tool-name.ts";
import { MAX_TOOL_NAME } from "#styles/text/tool-names.ts";
import { textOf } from "#lib/values.ts";
import { isMedia } from "#styles/text/media.ts";
import {
  assistantParts,
  instructionParts,
  markOf,
  reportResult,
  userParts,
  type Assistant,
} from "./block-out.ts";
import type { Place, Terms } from "./place.ts";
import { pairCalls } from "./pair-calls.ts";
import { AI_SDK } from "./proof.ts";
import { buildOutput } from "./result-out.ts";

const reportMessage = memberReporter<Message, Place>({
  extra: { foreignTo: AI_SDK },
  name: {
    lost: "messages.name",
    isPlaced: true,
    unless: (_, { role }) => isInstruction(role) || role === "assistant",
  },
  role: "written",
  blocks: "written",
  rawFields: "written",
});

/** A conversation in the terms that all packages share. */
export function buildPrompt(messages: readonly Message[], terms: Terms): LanguageModelV3Prompt {
  const callNames = namesOf(messages);
  const leading = messages.findIndex(({ role }) => !isInstruction(role));
  const prompt = messages.flatMap((message, index) => {
    const plan = planIn(message, terms);
    const at: Place = { ...terms, path: `messages[${index}]`, callNames };
    reportMessage(plan === undefined ? message : withoutPlan(message), at);
    if (isInstruction(message.role)) {
      return leading < 0 || index < leading
        ? instructionsOf(message, at)
        : laterInstruction(message);
    }
    if (message.role === "assistant") return assistantOf(message, plan, at);
    return turnOf(message, at);
  });
  return pairCalls(prompt, terms.report);
}

/** Chat clients of a vendor that has plans write them into a member of their own. */
function planIn({ extra, role }: Message, { traits }: Terms): string | undefined {
  if (role !== "assistant" || traits.hasToolPlans !== true) return undefined;
  return textOf(extra?.[CHAT]?.[PLAN]);
}

function withoutPlan(message: Message): Message {
  const { [PLAN]: _, ...rest } = message.extra?.[CHAT] ?? {};
  return { ...message, extra: { ...message.extra, [CHAT]: rest } };
}

const PLAN = "tool_plan";

function isInstruction(role: Message["role"]): boolean {
  return role === "system" || role === "developer";
}

function instructionsOf(message: Message, at: Place): LanguageModelV3Prompt {
  return message.blocks.flatMap((block) => {
    const part = instructionParts.write(block, at);
    if (part === undefined) return [];
    const { text: content, providerOptions } = part;
    return [{ role: "system" as const, content, ...(providerOptions && { providerOptions }) }];
  });
}

/** Most packages take instructions at the beginning only. */
function laterInstruction({ blocks }: Message): LanguageModelV3Prompt {
  const text = blocks.map((block) => ("text" in block ? block.text : "")).join("\n\n");
  if (text.trim() === "") return [];
  return [{ role: "user", content: [{ type: "text", text: `<system>\n${text}\n</system>` }] }];
}

/** Results of tools come before whatever else the turn says. */
function turnOf(message: Message, at: Place): LanguageModelV3Prompt {
  const { blocks } = message;
  const results = blocks.filter((block) => block.type === "tool_result");
  const shown = at.traits.resultsAreText === true ? results.flatMap(mediaOf) : [];
  const said = [...shown, ...blocks]
    .map((block) => userParts.write(block, at))
    .filter((part) => part !== undefined);
  const turn: LanguageModelV3Prompt = [];
  if (results.length > 0) {
    turn.push({ role: "tool", content: results.map((result) => resultPart(result, at)) });
  }
  if (said.length > 0) turn.push({ role: "user", content: said });
  return turn;
}

function mediaOf({ blocks }: ToolResultBlock): readonly MediaBlock[] {
  return blocks.filter(isMedia);
}

function resultPart(result: ToolResultBlock, at: Place): LanguageModelV3ToolResultPart {
  reportResult(result, at);
  const marked = result.blocks.findLast(({ cache }) => cache !== undefined) ?? result;
  return {
    type: "tool-result",
    toolCallId: result.callId,
    toolName: at.callNames.get(result.callId) ?? result.name ?? "tool",
    output: buildOutput(result, at),
    ...markOf(result.cache === undefined ? marked : result, at),
  };
}

function assistantOf(
  { blocks }: Message,
  plan: string | undefined,
  at: Place,
): LanguageModelV3Prompt {
  const planned: readonly Assistant[] = plan === undefined ? [] : [{ type: "text", text: plan }];
  const said = blocks
    .map((block) => assistantParts.write(block, at))
    .filter((part) => part !== undefined);
  const content = [...planned, ...said];
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}

/** A result names its call, not always its tool. */
function namesOf(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type !== "tool_call") continue;
      names.set(block.id, writeToolName(block.name, block.kind, MAX_TOOL_NAME));
    }
  }
  return names;
}
