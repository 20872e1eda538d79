import { isJsonArray, parseJson, type Json, type JsonObject } from "../json.ts";
import type { Sandbox } from "../server.ts";
import { asObject, at, eventsIn, textAt } from "./chat.ts";

/** Requests to the simulated Responses API without anybody's client in between. */
export function send(
  sandbox: Sandbox,
  path: string,
  { method = "POST", body, key = "sk-test" }: Call = {},
): Promise<Response> {
  return fetch(`${sandbox.url}/openai/v1/responses${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Call {
  readonly method?: string;
  readonly body?: JsonObject;
  readonly key?: string;
}

export function prompt(input: Json, extra: JsonObject = {}): JsonObject {
  return { model: "gpt-4o-mini", input, ...extra };
}

export async function respond(
  sandbox: Sandbox,
  body: JsonObject,
  key?: string,
): Promise<JsonObject> {
  const response = await send(sandbox, "", { body, ...(key === undefined ? {} : { key }) });
  return asObject(parseJson(await response.text()));
}

export async function get(sandbox: Sandbox, path: string, call: Call = {}): Promise<JsonObject> {
  const response = await send(sandbox, path, { method: "GET", ...call });
  return asObject(parseJson(await response.text()));
}

export async function eventsOf(sandbox: Sandbox, body: JsonObject): Promise<readonly JsonObject[]> {
  const response = await send(sandbox, "", { body: { ...body, stream: true } });
  return eventsIn(await response.text()).map((data) => asObject(parseJson(data)));
}

/** "created in_progress output_item.added output_text.delta* ...": repetitions are a star. */
export function grammarOf(events: readonly JsonObject[]): string {
  const types = events.map((event) => textAt(event, "type").replace("response.", ""));
  const runs = types.flatMap((type, index) =>
    type === types[index - 1] ? [] : [type.endsWith(".delta") ? `${type}*` : type],
  );
  return runs.join(" ");
}

export function itemsOf(response: Json | undefined, type: string): readonly JsonObject[] {
  const output = at(response, "output");
  const items = isJsonArray(output) ? output.map(asObject) : [];
  return items.filter((item) => item["type"] === type);
}

export function outputText(response: Json | undefined): string {
  return itemsOf(response, "message")
    .map((item) => textAt(item, "content", 0, "text"))
    .join("");
}

/** Status, param and code of a refusal, and what it says. */
export async function refusalOf(response: Response): Promise<string> {
  const error = at(asObject(parseJson(await response.text())), "error");
  return [response.status, ...["param", "code", "message"].map((key) => textAt(error, key))].join(
    " | ",
  );
}

export const WEATHER_TOOL: JsonObject = {
  type: "function",
  name: "get_weather",
  description: "Current weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
