import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const PICTURES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/**
 * What a vendor of the messages style would refuse in a request, as text:
 * from its published constraints. Empty where there is nothing.
 */
export function messagesRequestFaults(body: JsonObject): readonly string[] {
  const turns = objectsIn(body["messages"]);
  return [
    ...numberFaults(body),
    ...turnFaults(turns),
    ...pairFaults(turns),
    ...turns.flatMap(contentFaults),
    ...toolFaults(body, turns),
    ...thinkingFaults(body, turns),
    ...markFaults(body, turns),
  ];
}

function numberFaults(body: JsonObject): readonly string[] {
  const faults: string[] = [];
  const { max_tokens: most, temperature, top_p: topP, stop_sequences: stops } = body;
  if (!Number.isInteger(most) || Number(most) < 1) faults.push("max_tokens is no count");
  if (typeof temperature === "number" && (temperature < 0 || temperature > 1))
    faults.push("temperature is out of range");
  if (temperature !== undefined && topP !== undefined) faults.push("temperature and top_p");
  if (listIn(stops).some((stop) => textOf(stop)?.trim() === "")) faults.push("a blank stop");
  return faults;
}

function turnFaults(turns: readonly JsonObject[]): readonly string[] {
  const faults: string[] = [];
  if (turns.length === 0) faults.push("there is no message");
  if (turns[0]?.["role"] !== "user") faults.push("the first message is not the user's");
  for (const [at, { role, content }] of turns.entries()) {
    if (role !== "user" && role !== "assistant") faults.push(`${JSON.stringify(role)} is no role`);
    if (role === turns[at - 1]?.["role"]) faults.push("two messages of one role");
    if (isArray(content) && content.length === 0) faults.push("a message without content");
  }
  const last = turns.at(-1);
  const end = last?.["role"] === "assistant" ? endOf(last["content"]) : undefined;
  if (end !== undefined && end !== end.trimEnd()) faults.push("a prefill that ends in blanks");
  return faults;
}

function endOf(content: Json | undefined): string | undefined {
  if (typeof content === "string") return content;
  const last = objectsIn(content).at(-1);
  return typeof last?.["text"] === "string" ? last["text"] : undefined;
}

/** Every call has its result in the next message, before anything else; nothing else has. */
function pairFaults(turns: readonly JsonObject[]): readonly string[] {
  const faults: string[] = [];
  const seen = new Set<Json>();
  for (const [at, turn] of turns.entries()) {
    const calls = idsOf(turn, "tool_use", "id");
    const results = idsOf(turn, "tool_result", "tool_use_id");
    const before = idsOf(turns[at - 1], "tool_use", "id");
    const answers = idsOf(turns[at + 1], "tool_result", "tool_use_id");
    for (const id of calls) {
      if (!ID.test(textOf(id) ?? "")) faults.push(`${JSON.stringify(id)} is no id`);
      if (seen.has(id)) faults.push("two calls have one id");
      seen.add(id);
      if (!answers.includes(id)) faults.push("a call without its result");
    }
    if (results.some((id) => !before.includes(id))) faults.push("a result without its call");
    const firstOther = objectsIn(turn["content"]).findIndex(({ type }) => type !== "tool_result");
    if (firstOther >= 0 && firstOther < results.length)
      faults.push("a result behind other content");
  }
  return faults;
}

function idsOf(turn: JsonObject | undefined, type: string, member: string): readonly Json[] {
  return objectsIn(turn?.["content"])
    .filter((block) => block["type"] === type)
    .map((block) => block[member] ?? null);
}

function contentFaults({ role, content }: JsonObject): readonly string[] {
  if (typeof content === "string") return content.trim() === "" ? ["a blank message"] : [];
  return objectsIn(content).flatMap((block) => blockFaults(block, role === "user"));
}

function blockFaults(block: JsonObject, isUser: boolean): readonly string[] {
  const { type, text, source, input, content, signature } = block;
  switch (type) {
    case "text":
      return typeof text !== "string" || text.trim() === "" ? ["a blank text"] : [];
    case "image":
    case "document":
      return isUser ? sourceFaults(type, source) : ["an assistant that shows something"];
    case "tool_use":
      return isObject(input) && !isUser ? [] : ["a call that is none"];
    case "tool_result":
      if (!isUser) return ["a result of the assistant's"];
      return objectsIn(content).flatMap((inner) => blockFaults(inner, true));
    case "thinking":
      return typeof signature === "string" && signature !== ""
        ? []
        : ["thinking without its proof"];
    default:
      return [];
  }
}

function sourceFaults(type: string, source: Json | undefined): readonly string[] {
  if (!isObject(source)) return ["no source"];
  const { type: kind, media_type: mediaType } = source;
  if (kind === "url") return [];
  if (type === "image")
    return kind === "base64" && PICTURES.includes(textOf(mediaType) ?? "") ? [] : ["no picture"];
  if (kind === "text") return mediaType === "text/plain" ? [] : ["a text that is none"];
  return kind === "base64" && mediaType === "application/pdf" ? [] : ["no document"];
}

function toolFaults(body: JsonObject, turns: readonly JsonObject[]): readonly string[] {
  const tools = objectsIn(body["tools"]);
  const names = tools.map(({ name }) => name);
  const faults: string[] = [];
  if (new Set(names).size < names.length) faults.push("two tools have one name");
  for (const { name, type, input_schema: schema } of tools) {
    if (!NAME.test(textOf(name) ?? "")) faults.push(`${JSON.stringify(name)} is no tool's name`);
    if (type === undefined && (!isObject(schema) || schema["type"] !== "object"))
      faults.push("a tool without a schema for an object");
  }
  const { tool_choice: choice } = body;
  if (choice !== undefined && tools.length === 0) faults.push("a choice among no tools");
  if (isObject(choice) && choice["type"] === "none" && "disable_parallel_tool_use" in choice)
    faults.push("a choice of none that says more");
  const hasCalls = turns.some((turn) => idsOf(turn, "tool_use", "id").length > 0);
  if (hasCalls && tools.length === 0) faults.push("calls, but no tools");
  return faults;
}

function thinkingFaults(body: JsonObject, turns: readonly JsonObject[]): readonly string[] {
  const { thinking, temperature, top_k: topK, top_p: topP, tool_choice: choice } = body;
  const type = isObject(thinking) ? thinking["type"] : "disabled";
  if (!isObject(thinking) || type === "disabled") return [];
  const faults: string[] = [];
  if (temperature !== undefined && temperature !== 1) faults.push("thinking at a temperature");
  if (topK !== undefined) faults.push("thinking with top_k");
  if (typeof topP === "number" && topP < 0.95) faults.push("thinking with a low top_p");
  const forced = isObject(choice) ? choice["type"] : undefined;
  if (forced === "any" || forced === "tool") faults.push("thinking with a forced call");
  if (turns.at(-1)?.["role"] === "assistant") faults.push("thinking with a prefill");
  if (type !== "enabled") return faults;

  const budget = Number(thinking["budget_tokens"]);
  if (!(budget >= 1_024) || budget >= Number(body["max_tokens"])) faults.push("no fit budget");
  const last = objectsIn(turns.findLast(({ role }) => role === "assistant")?.["content"]);
  const first = last[0]?.["type"];
  const isProven = first === "thinking" || first === "redacted_thinking";
  if (last.some((block) => block["type"] === "tool_use") && !isProven)
    faults.push("calls without the thinking before them");
  return faults;
}

function markFaults(body: JsonObject, turns: readonly JsonObject[]): readonly string[] {
  const blocks = [
    ...objectsIn(body["tools"]),
    ...objectsIn(body["system"]),
    ...turns.flatMap(({ content }) => objectsIn(content)),
  ];
  const all = blocks.flatMap((block) => [block, ...objectsIn(block["content"])]);
  const marks = all.map((block) => block["cache_control"]).filter(isObject);
  const faults: string[] = [];
  if (marks.length > 4) faults.push("more than four marks");
  if (marks.some((mark) => mark["type"] !== "ephemeral")) faults.push("an unknown mark");
  const firstShort = marks.findIndex((mark) => mark["ttl"] !== "1h");
  if (firstShort >= 0 && marks.slice(firstShort).some((mark) => mark["ttl"] === "1h"))
    faults.push("a long mark behind a short one");
  return faults;
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return listIn(value).filter(isObject);
}

function listIn(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}
