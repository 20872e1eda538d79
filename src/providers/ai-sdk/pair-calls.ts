import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
} from "@ai-sdk/provider";
import type { LossReport } from "#core/lossy.ts";
import { CallPairs } from "#styles/text/call-pairs.ts";
import { CallIds } from "#styles/text/messages/conversation/call-ids.ts";

type Of<Role> = Extract<LanguageModelV3Message, { role: Role }>["content"][number];
type Call = Extract<Of<"assistant">, { type: "tool-call" }>;
type Result = LanguageModelV3ToolResultPart;

/**
 * Vendors want the results of a turn's calls in the turn after it, one for
 * each, under ids of few characters that no other call has. Conversations may
 * have results later, or not at all where somebody interrupted, ids that come
 * again, and results of calls that nobody made.
 */
export function pairCalls(
  prompt: LanguageModelV3Prompt,
  report: LossReport,
): LanguageModelV3Prompt {
  const pairs = new Pairs(prompt, report);
  return prompt.flatMap((message): LanguageModelV3Prompt => {
    if (message.role === "tool") {
      const strays = message.content.flatMap((part) => pairs.stray(part));
      return strays.length === 0 ? [] : [{ role: "user", content: strays }];
    }
    if (message.role !== "assistant") return [message];
    const content = message.content.map((part) => pairs.renamed(part));
    const results = message.content.flatMap((part) => pairs.resultOf(part));
    const said: LanguageModelV3Message = { ...message, content };
    return results.length === 0 ? [message] : [said, { role: "tool", content: results }];
  });
}

class Pairs {
  readonly #pairs: CallPairs<Call, Result>;

  constructor(prompt: LanguageModelV3Prompt, report: LossReport) {
    const ids = new CallIds();
    this.#pairs = new CallPairs((id) => ids.next(id), report);
    for (const message of prompt) {
      if (message.role === "assistant") {
        for (const call of message.content.filter(isCall)) {
          this.#pairs.addCall(call.toolCallId, call);
        }
      } else if (message.role === "tool") {
        for (const result of message.content.filter(isResult)) {
          this.#pairs.addResult(result.toolCallId, result);
        }
      }
    }
  }

  renamed(part: Of<"assistant">): Of<"assistant"> {
    const pair = isCall(part) ? this.#pairs.ofCall(part) : undefined;
    return pair === undefined || !isCall(part) ? part : { ...part, toolCallId: pair.id };
  }

  resultOf(part: Of<"assistant">): readonly Result[] {
    const pair = isCall(part) ? this.#pairs.ofCall(part) : undefined;
    if (pair === undefined || !isCall(part)) return [];
    const result = this.#pairs.resultOf(part) ?? unanswered(part);
    return [{ ...result, toolCallId: pair.id }];
  }

  /** What a tool said that nobody called is told by the user instead. */
  stray(part: Of<"tool">): readonly Of<"user">[] {
    if (!isResult(part) || this.#pairs.ofResult(part) !== undefined) return [];
    return [{ type: "text", text: "The result of an earlier tool call:" }, ...spoken(part)];
  }
}

function isCall(part: Of<"assistant">): part is Call {
  return part.type === "tool-call";
}

function isResult(part: Of<"tool">): part is Result {
  return part.type === "tool-result";
}

function unanswered({ toolCallId, toolName }: Call): Result {
  const value = "This call was broken off before it had a result.";
  return { type: "tool-result", toolCallId, toolName, output: { type: "error-text", value } };
}

function spoken({ output }: Result): readonly Of<"user">[] {
  if (output.type === "text" || output.type === "error-text") return words(output.value);
  if (output.type !== "content") return [];
  return output.value.flatMap((part): readonly Of<"user">[] => {
    switch (part.type) {
      case "text":
        return words(part.text);
      case "image-data":
      case "file-data":
        return [{ type: "file", data: part.data, mediaType: part.mediaType }];
      case "image-url":
        return [{ type: "file", data: new URL(part.url), mediaType: "image/*" }];
      default:
        return [];
    }
  });
}

function words(text: string): readonly Of<"user">[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}
