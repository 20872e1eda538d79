import type { Sandbox } from "../server.ts";
import { isJsonArray, parseJson, type Json, type JsonObject } from "../json.ts";
import { asObject, at, eventsIn, textAt } from "./chat.ts";

/** Requests to the simulated vendor without its client in between. */
export function post(
  sandbox: Sandbox,
  call: string,
  body: JsonObject,
  init: { readonly key?: string; readonly version?: string } = {},
): Promise<Response> {
  const { key = "AIza-test", version = "v1beta" } = init;
  return fetch(`${sandbox.url}/gemini/${version}/${call}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-goog-api-key": key },
    body: JSON.stringify(body),
  });
}

export function user(text: string): JsonObject {
  return { role: "user", parts: [{ text }] };
}

/** A request with one turn of the user. */
export function ask(text: string, extra: JsonObject = {}): JsonObject {
  return { contents: [user(text)], ...extra };
}

export const WEATHER: JsonObject = {
  functionDeclarations: [
    {
      name: "get_weather",
      description: "Current weather of a city",
      parameters: {
        type: "OBJECT",
        properties: { city: { type: "STRING" } },
        required: ["city"],
      },
    },
  ],
};

export const SHOWN: JsonObject = { thinkingConfig: { includeThoughts: true } };

export async function answerTo(
  sandbox: Sandbox,
  model: string,
  body: JsonObject,
): Promise<JsonObject> {
  const response = await post(sandbox, `models/${model}:generateContent`, body);
  return asObject(parseJson(await response.text()));
}

export async function streamText(
  sandbox: Sandbox,
  model: string,
  body: JsonObject,
): Promise<string> {
  return (await post(sandbox, `models/${model}:streamGenerateContent?alt=sse`, body)).text();
}

export async function chunksOf(
  sandbox: Sandbox,
  model: string,
  body: JsonObject,
): Promise<readonly JsonObject[]> {
  const text = await streamText(sandbox, model, body);
  return eventsIn(text).map((data) => asObject(parseJson(data)));
}

/** All parts of the first candidate, over all the pieces of an answer. */
export function partsOf(...answers: readonly (Json | undefined)[]): readonly JsonObject[] {
  return answers.flatMap((answer) => {
    const parts = at(answer, "candidates", 0, "content", "parts");
    return isJsonArray(parts) ? parts.map(asObject) : [];
  });
}

/** The words of an answer, without the thoughts. */
export function textOf(...answers: readonly (Json | undefined)[]): string {
  return partsOf(...answers)
    .filter((part) => part["thought"] !== true)
    .map((part) => (typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** Code, status and message of a refusal. */
export async function refusalOf(response: Response): Promise<string> {
  const error = at(parseJson(await response.text()), "error");
  return `${response.status} ${textAt(error, "status")} ${textAt(error, "message").trim()}`;
}
