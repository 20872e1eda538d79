import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";

/**
 * A request as vendors take it who speak the protocol without its latest
 * additions: those are ignored, and nothing is padded.
 */
export function plainRequest(body: JsonObject): JsonObject {
  const kept = Object.entries(body).filter(([name]) => !IGNORED.includes(name));
  const tools = body["tools"] ?? undefined;
  const options = body["stream_options"] ?? undefined;
  const isPaddable = body["stream"] === true && (options === undefined || isJsonObject(options));
  return {
    ...Object.fromEntries(kept),
    ...(isJsonArray(tools) ? { tools: tools.map(withoutStrictness) } : {}),
    ...(isPaddable ? { stream_options: { ...options, include_obfuscation: false } } : {}),
  };
}

const IGNORED: readonly string[] = [
  "functions",
  "function_call",
  "modalities",
  "prediction",
  "service_tier",
];

function withoutStrictness(tool: Json): Json {
  if (!isJsonObject(tool) || !isJsonObject(tool["function"])) return tool;
  const { strict: _strict, ...plain } = tool["function"];
  return { ...tool, function: plain };
}
