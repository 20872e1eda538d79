import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { buildUsage } from "#styles/text/chat/usage.ts";
import { headOf } from "./head.ts";
import { buildLogprobs } from "./logprobs.ts";
import { TextWriter } from "./text-writer.ts";

export function buildResponse(events: readonly ChatEvent[], request: ChatRequest): JsonObject {
  const start = events.find((event) => event.type === "start");
  const usage = events.findLast((event) => event.type === "usage");
  const writer = new TextWriter(request);
  const choices = new Map<number, WholeChoice>();
  for (const event of events) {
    for (const piece of writer.write(event)) {
      const choice = choices.get(piece.index) ?? { text: "", logprobs: [], reason: null };
      choice.text += piece.text;
      choice.logprobs.push(...piece.logprobs);
      choice.reason = piece.reason ?? choice.reason;
      choices.set(piece.index, choice);
    }
  }
  const indexes = [...choices.keys()].sort((a, b) => a - b);
  return {
    ...headOf(start, request),
    choices: indexes.map((index) => {
      const { text = "", logprobs = [], reason = null } = choices.get(index) ?? {};
      return { text, index, logprobs: buildLogprobs(logprobs, 0), finish_reason: reason };
    }),
    ...(usage === undefined ? {} : { usage: buildUsage(usage.usage) }),
  };
}

/** The text of a complete response, or of a chunk, by choice. */
export function readTexts(part: JsonObject): ReadonlyMap<number, string> {
  return new Map(
    listOf(part["choices"]).map((choice) => [
      integerOf(memberOf(choice, "index")) ?? 0,
      textOf(memberOf(choice, "text")) ?? "",
    ]),
  );
}

interface WholeChoice {
  text: string;
  readonly logprobs: Json[];
  reason: string | null;
}
