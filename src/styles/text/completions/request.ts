import type { ChatRequest } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, numberOf, pick, restOf, textOf } from "#lib/values.ts";
import { promptIn } from "./facts.ts";

/** Id of this style, also in `extra` and `rawFields`. */
export const COMPLETIONS = "completions";

const READ_MEMBERS = new Set([
  "model",
  "prompt",
  "suffix",
  "echo",
  "stream",
  "stream_options",
  "max_tokens",
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "stop",
  "n",
  "logprobs",
  "user",
]);

/** `body` was validated by `readRequest`; the prompt becomes a user message. */
export function parseRequest(body: JsonObject): ChatRequest {
  const rest = restOfMembers(body);
  const top = integerOf(body["logprobs"]);
  return {
    model: textOf(body["model"]) ?? "",
    messages: [{ role: "user", blocks: [{ type: "text", text: promptIn(body["prompt"]) ?? "" }] }],
    stream: body["stream"] === true,
    sampling: defined({
      temperature: numberOf(body["temperature"]),
      topP: numberOf(body["top_p"]),
      presencePenalty: numberOf(body["presence_penalty"]),
      frequencyPenalty: numberOf(body["frequency_penalty"]),
      seed: integerOf(body["seed"]),
    }),
    ...defined({
      maxOutputTokens: integerOf(body["max_tokens"]),
      stop: parseStop(body["stop"]),
      choices: integerOf(body["n"]),
      logprobs: top === undefined ? undefined : { top },
      user: textOf(body["user"]),
      extra: rest === undefined ? undefined : { [COMPLETIONS]: rest },
    }),
    rawFields: { [COMPLETIONS]: pick(body, ["prompt", "echo", "stream_options"]) },
  };
}

function parseStop(stop: Json | undefined): readonly string[] | undefined {
  if (typeof stop === "string") return [stop];
  const stops = listOf(stop).filter((one) => typeof one === "string");
  return stops.length === 0 ? undefined : stops;
}

/** `best_of` up to `n` selects nothing, so it is not reported as lost. */
function restOfMembers(body: JsonObject): JsonObject | undefined {
  const { best_of: candidates, ...members } = body;
  const isChosen = (integerOf(candidates) ?? 0) > (integerOf(body["n"]) ?? 1);
  return restOf(isChosen ? body : members, READ_MEMBERS);
}

/** The text before the response, if the client asks for the prompt. */
export function echoIn(request: ChatRequest): string {
  const rawFields = request.rawFields?.[COMPLETIONS];
  return rawFields?.["echo"] === true ? (promptIn(rawFields["prompt"]) ?? "") : "";
}
