import type { Conversation, RequestSpec, Turn } from "../engine/conversation.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import { jsonText, type Json, type JsonObject } from "../json.ts";
import { isModel, partsOf, textOf } from "./contents.ts";
import { describeParts, mediaOf } from "./media.ts";
import type { Content } from "./proto/content.ts";
import type { GenerateRequest } from "./request.ts";

/** The engine's prompt for one candidate. */
export function questionOf(request: GenerateRequest, candidate: number): RequestSpec {
  const { prompt, sampling, thinking, output } = request;
  return {
    conversation: conversationOf(prompt.system, prompt.contents),
    tools: prompt.tools.functions,
    choice: prompt.tools.choice,
    mayCallInParallel: true,
    format: output.format,
    reasoning: thinking.effort,
    ...(thinking.maxTokens === undefined ? {} : { maxReasoningTokens: thinking.maxTokens }),
    maxTokens: sampling.maxTokens,
    stop: sampling.stop,
    goesOn: true,
    variant: candidate,
  };
}

/** What the user said last, and not only answered for a function. */
export function lastWords(contents: readonly Content[]): string {
  const last = contents.findLast((content) => !isModel(content) && textOf(content) !== "");
  return last === undefined ? "" : textOf(last);
}

function conversationOf(system: string, contents: readonly Content[]): Conversation {
  const start: Conversation = system === "" ? [] : [{ role: "system", text: system }];
  return [...start, ...contents.flatMap(turnsOf)];
}

function turnsOf(content: Content): readonly Turn[] {
  const text = withoutMagicWords(textOf(content));
  const parts = partsOf(content);
  if (isModel(content)) {
    const calls = parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ name: call.name ?? "", input: JSON.stringify(call.args ?? {}) }],
    );
    return [
      { role: "assistant", text, calls: calls.map((call) => ({ kind: "function", ...call })) },
    ];
  }
  const results = parts.flatMap(({ functionResponse: each }): readonly Turn[] => {
    if (each === undefined) return [];
    const said = resultText(each.response ?? {});
    const brought = describeParts(each.parts ?? []);
    const whole = [said, brought].filter((one) => one !== "").join("\n");
    return [{ role: "result", tool: each.name ?? "", text: whole }];
  });
  const media = results.length > 0 ? [] : mediaOf(parts);
  // Results alone are nothing that the user says.
  const isSilent = results.length > 0 && text === "";
  return isSilent ? results : [...results, { role: "user", text, media }];
}

/** By convention a result stands under one name; any other object is itself the result. */
function resultText(response: JsonObject): string {
  const [entry, ...others] = Object.entries(response);
  const isWrapped = entry !== undefined && others.length === 0 && WRAPPERS.includes(entry[0]);
  const value: Json = isWrapped ? entry[1] : response;
  return jsonText(value);
}

const WRAPPERS: readonly string[] = ["output", "result", "content", "error"];
