import { answerQuestion } from "../engine/answer.ts";
import type { ToolCall } from "../engine/conversation.ts";
import { readPrompt, type Prompt } from "../engine/prompt.ts";
import { isJsonObject, parseJson, type JsonObject } from "../json.ts";
import { quoteDocuments } from "./document-citations.ts";
import { newId } from "./ids.ts";
import { questionOf } from "./question.ts";
import type { MessagesRequest } from "./request.ts";
import { runServerTool, type Finding, type ServerRun } from "./server-tools.ts";
import { isRefusalAsked, isRedactionAsked } from "./test-words.ts";
import type { OfferedTool } from "./tools.ts";

/** A block of an answer before it is cut to the length that is allowed. */
export type Draft =
  | { readonly kind: "thinking" | "redacted_thinking"; readonly text: string }
  | { readonly kind: "text"; readonly text: string; readonly citations: readonly JsonObject[] }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: string }
  | {
      readonly kind: "server_call";
      readonly id: string;
      readonly name: string;
      readonly input: string;
    }
  | { readonly kind: "server_result"; readonly id: string; readonly run: ServerRun };

interface DraftAnswer {
  readonly drafts: readonly Draft[];
  readonly isRefused: boolean;
}

/** All that the model would say if nothing stopped it. */
export function draftAnswer(request: MessagesRequest, nowMs: number): DraftAnswer {
  const question = questionOf(request);
  const prompt = readPrompt(question.conversation);
  if (isRefusalAsked(prompt.text)) return { drafts: [], isRefused: true };

  const answer = answerQuestion(question);
  const thoughts = thoughtDrafts(answer.reasoning, prompt);
  if (answer.refusal !== undefined)
    return { drafts: [...thoughts, text(answer.refusal)], isRefused: true };

  const runs = answer.calls.flatMap((call, index) => {
    const offered = serverTool(call, request);
    if (offered === undefined) return [];
    const uses = answer.calls.slice(0, index).filter(({ name }) => name === call.name).length;
    return [runServerTool(offered, inputOf(call), { prompt, uses, nowMs })];
  });
  const calls = answer.calls.filter((call) => serverTool(call, request) === undefined);
  const words = calls.length > 0 ? [] : wordDrafts(answer.text, runs, request);
  return {
    drafts: [...thoughts, ...runs.flatMap(runDrafts), ...words, ...calls.map(callDraft)],
    isRefused: false,
  };
}

function thoughtDrafts(reasoning: string, prompt: Prompt): readonly Draft[] {
  if (reasoning === "") return [];
  const isRedacted = isRedactionAsked(prompt.text);
  return [{ kind: isRedacted ? "redacted_thinking" : "thinking", text: reasoning }];
}

function serverTool({ name }: ToolCall, { tools }: MessagesRequest): OfferedTool | undefined {
  return tools.find(({ tool, serverType }) => tool.name === name && serverType !== undefined);
}

function inputOf({ input }: ToolCall): JsonObject {
  const value = parseJson(input);
  return isJsonObject(value) ? value : {};
}

/** Results of the vendor's tools, or else the engine's text followed by quotations. */
function wordDrafts(
  said: string,
  runs: readonly ServerRun[],
  request: MessagesRequest,
): readonly Draft[] {
  if (runs.length > 0) {
    const found = runs.flatMap((run) => run.findings);
    return found.length === 0 ? [text("I found nothing.")] : tell("Here is what I found: ", found);
  }
  const rest = withoutPrefill(said, request);
  return rest === "" ? [] : [text(rest), ...tell(" ", quoteDocuments(request.turns))];
}

function text(words: string): Draft {
  return { kind: "text", text: words, citations: [] };
}

function callDraft({ name, input }: ToolCall): Draft {
  return { kind: "call", id: newId("toolu"), name, input };
}

function runDrafts(run: ServerRun): readonly Draft[] {
  const id = newId("srvtoolu");
  return [
    { kind: "server_call", id, name: run.name, input: JSON.stringify(run.input) },
    { kind: "server_result", id, run },
  ];
}

/** Each cited finding in a block of its own, since a citation belongs to a whole block. */
function tell(opening: string, findings: readonly Finding[]): readonly Draft[] {
  return findings.flatMap(({ text: words, citation }, index) => {
    const before = index === 0 ? opening : " ";
    if (citation === undefined) return [text(before + words)];
    return [text(before), { kind: "text" as const, text: words, citations: [citation] }];
  });
}

/** An answer that was begun for the model is gone on with, and not begun again. */
function withoutPrefill(said: string, { turns }: MessagesRequest): string {
  const last = turns.at(-1);
  const begun = last?.blocks.at(-1);
  if (last?.role !== "assistant" || begun?.kind !== "text") return said;
  return said.startsWith(begun.text) ? said.slice(begun.text.length) : said;
}
