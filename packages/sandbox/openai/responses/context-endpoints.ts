import { countTokens } from "@sluice/sandbox/engine/tokens.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import type { Json, JsonObject } from "@sluice/sandbox/json.ts";
import { field, readText } from "../fields.ts";
import { countPromptTokens, messageText } from "../prompt-tokens.ts";
import { readContext } from "./context.ts";
import { messagesOf, plainMessage, type Entry } from "./entry.ts";
import type { ItemReaders } from "./input-items.ts";
import { newItemId } from "./item-ids.ts";
import { readModel } from "./model-rules.ts";
import { responseUsage } from "./response-body.ts";
import { readBody } from "./response-request.ts";
import { readToolOffer } from "./tool-request.ts";

/** Input tokens of a request. */
export function countInput(json: Json | undefined, readers: ItemReaders): JsonObject {
  const body = readBody(json);
  readModel(body);
  readToolOffer(body);
  const { total } = promptOf(body, readContext(body, readers));
  return { object: "response.input_tokens", input_tokens: total };
}

/** A conversation made short: the user's words as they are, and everything else sealed. */
export function compactInput(
  json: Json | undefined,
  readers: ItemReaders,
  now: number,
): JsonObject {
  const body = readBody(json);
  readModel(body);
  const context = readContext(body, readers);
  const said = messagesOf(context.filter((entry) => !isOfUser(entry))).map((message) =>
    withoutMagicWords(messageText(message)),
  );
  const sealed = readers.seal.close(JSON.stringify(said), readers.owner);
  const output = [
    ...context.filter(isOfUser).map(({ item }) => item),
    { encrypted_content: sealed, id: newItemId("cmp"), type: "compaction" },
  ];
  return {
    id: newItemId("resp"),
    object: "response.compaction",
    created_at: Math.floor(now / 1_000),
    output,
    usage: responseUsage({
      prompt: promptOf(body, context),
      cached: 0,
      output: countTokens(said.join("\n")),
      reasoning: 0,
      spoken: 0,
      acceptedPrediction: 0,
      rejectedPrediction: 0,
    }),
  };
}

function promptOf(body: JsonObject, context: readonly Entry[]) {
  const instructions = readText(field(body, "instructions"));
  const head = instructions === undefined ? [] : [plainMessage("developer", instructions)];
  return countPromptTokens([...head, ...messagesOf(context)], JSON.stringify(body["tools"] ?? []));
}

function isOfUser({ type, item }: Entry): boolean {
  return type === "message" && item["role"] === "user";
}
