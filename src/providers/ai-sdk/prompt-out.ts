import type {
  JSONObject,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { Block, MediaBlock, Message, ToolResultBlock } from "#core/chat.ts";
import { CHAT } from "#styles/text/chat/raw-fields.ts";
import { inputOf } from "#styles/text/messages/conversation/call-input.ts";
import { writeToolName } from "#styles/text/messages/conversation/tool-name.ts";
import { MAX_TOOL_NAME } from "#styles/text/tool-names.ts";
import { textOf } from "#lib/values.ts";
import { isMedia } from "#styles/text/media.ts";
import { buildFile } from "./file-out.ts";
import type { Place, Terms } from "./place.ts";
import { pairCalls } from "./pair-calls.ts";
import { AI_SDK, writeProof } from "./proof.ts";
import { buildOutput } from "./result-out.ts";

type Assistant = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];
type User = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];

/** A conversation in the terms that all packages share. */
export function buildPrompt(messages: readonly Message[], terms: Terms): LanguageModelV3Prompt {
  const callNames = namesOf(messages);
  const leading = messages.findIndex(({ role }) => !isInstruction(role));
  const prompt = messages.flatMap((message, index) => {
    const { plan, extra } = takePlan(message, terms);
    terms.report.loseForeign(extra, AI_SDK, "messages.", message);
    const at: Place = { ...terms, path: `messages[${index}]`, callNames };
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
function takePlan(
  { extra, role }: Message,
  { traits }: Terms,
): { readonly plan: string | undefined; readonly extra: Message["extra"] } {
  const { tool_plan: written, ...rest } = extra?.[CHAT] ?? {};
  const plan = textOf(written);
  if (plan === undefined || role !== "assistant" || traits.hasToolPlans !== true) {
    return { plan: undefined, extra };
  }
  return { plan, extra: { ...extra, [CHAT]: rest } };
}

function isInstruction(role: Message["role"]): boolean {
  return role === "system" || role === "developer";
}

function instructionsOf(message: Message, at: Place): LanguageModelV3Prompt {
  return message.blocks.flatMap((block) => {
    if (block.type !== "text" || block.text.trim() === "") return [];
    return [{ role: "system" as const, content: block.text, ...markOf(block, at) }];
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
  const { blocks, name } = message;
  if (name !== undefined) at.report.lose("messages.name", message);
  const results = blocks.filter((block) => block.type === "tool_result");
  const shown = at.traits.resultsAreText === true ? results.flatMap(mediaOf) : [];
  const said = [...shown, ...blocks].flatMap((block) => userPart(block, at));
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

function userPart(block: Block, at: Place): readonly User[] {
  if (isMedia(block)) return [userFile(block, at)];
  switch (block.type) {
    case "text":
    case "refusal":
      return block.text.trim() === ""
        ? []
        : [{ type: "text", text: block.text, ...markOf(block, at) }];
    case "other":
      at.report.lose(`messages.${textOf(block.data["type"]) ?? "content"}`, block);
      return [];
    default:
      return [];
  }
}

function userFile(block: MediaBlock, at: Place): User {
  const { [at.traits.key]: cached } = markOf(block, at).providerOptions ?? {};
  const own = { ...cached, ...detailOf(block, at) };
  const isPlain = Object.keys(own).length === 0;
  return {
    ...buildFile(block, at),
    ...(isPlain ? {} : { providerOptions: { [at.traits.key]: own } }),
  };
}

/** `auto` is what a vendor does by itself. */
function detailOf(block: MediaBlock, { traits, report }: Place): JSONObject {
  const { detail } = block;
  if (detail === undefined || detail === "auto") return {};
  if (traits.detail === undefined) report.lose("messages.detail", block);
  return traits.detail?.(detail) ?? {};
}

function resultPart(result: ToolResultBlock, at: Place): LanguageModelV3ToolResultPart {
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
  const content = [...planned, ...blocks.flatMap((block) => assistantPart(block, at))];
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}

function assistantPart(block: Block, at: Place): readonly Assistant[] {
  const { report, traits } = at;
  if (isMedia(block)) {
    if (traits.takesShown === true) return [buildFile(block, at)];
    if (block.transcript !== undefined) return [{ type: "text", text: block.transcript }];
    report.lose(`messages.${block.type}`, block);
    return [];
  }
  switch (block.type) {
    case "text":
    case "refusal":
      return block.text.trim() === ""
        ? []
        : [{ type: "text", text: block.text, ...markOf(block, at) }];
    case "reasoning": {
      const proof = writeProof(block.signature, traits);
      if (proof !== undefined)
        return [{ type: "reasoning", text: block.text, providerOptions: proof }];
      if (traits.needsProof !== true && traits.dropsReasoning !== true && block.text !== "") {
        return [{ type: "reasoning", text: block.text }];
      }
      report.lose("reasoning");
      return [];
    }
    case "tool_call": {
      const proof = writeProof(block.signature, traits);
      return [
        {
          type: "tool-call",
          toolCallId: block.id,
          toolName: writeToolName(block.name, block.kind, MAX_TOOL_NAME),
          input: inputOf(block.arguments, block.kind),
          ...(proof === undefined ? markOf(block, at) : { providerOptions: proof }),
        },
      ];
    }
    case "other":
      report.lose(`messages.${textOf(block.data["type"]) ?? "content"}`, block);
      return [];
    case "tool_result":
      return [];
  }
}

/** A package's own words for a caching mark, where it has any. */
function markOf(
  { cache }: Pick<Block, "cache">,
  { traits, report }: Place,
): { readonly providerOptions?: SharedV3ProviderOptions } {
  if (cache === undefined) return {};
  if (traits.cache === undefined) {
    report.lose("cache_control");
    return {};
  }
  return { providerOptions: { [traits.key]: traits.cache(cache) } };
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
