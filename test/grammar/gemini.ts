import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";

const REASONS = [
  "STOP",
  "MAX_TOKENS",
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "OTHER",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
  "IMAGE_OTHER",
  "NO_IMAGE",
];

/** A part holds exactly one of these. */
const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];

/**
 * What is wrong with a stream of native chunks, as text: what clients of this
 * style rely on. They read nothing but data lines, take every one for JSON,
 * and have no end mark. Empty where nothing is.
 */
export function geminiStreamFaults(
  stream: string,
  options: { showsThoughts?: boolean } = {},
): readonly string[] {
  const faults: string[] = [];
  const frames = stream.split("\n\n");
  if (frames.pop() !== "") faults.push("the last event lacks its blank line");
  const chunks = frames.map((frame) => {
    if (!frame.startsWith("data: ") || frame.includes("\n"))
      faults.push(`not one data line: ${frame.slice(0, 80)}`);
    const json = parseJson(frame.slice("data: ".length));
    if (!isObject(json)) faults.push(`not an object: ${frame.slice(0, 80)}`);
    return isObject(json) ? json : {};
  });
  faults.push(...headFaults(chunks), ...usageFaults(chunks));
  const candidates = chunks.flatMap((chunk) => objectsIn(chunk["candidates"]));
  for (const index of new Set(candidates.map(indexOf))) {
    const own = candidates.filter((candidate) => indexOf(candidate) === index);
    faults.push(...candidateFaults(own, options.showsThoughts ?? true));
  }
  return faults;
}

/** Without one it is the first. */
function indexOf({ index = 0 }: JsonObject): Json {
  return index;
}

function headFaults(chunks: readonly JsonObject[]): readonly string[] {
  const [first] = chunks;
  if (first === undefined) return ["there is no chunk"];
  const faults = ["modelVersion", "responseId", "createTime"]
    .filter((name) => chunks.some((chunk) => chunk[name] !== first[name]))
    .map((name) => `'${name}' is not the same in every chunk`);
  // Half of the vendor's own servers leave the time out.
  const { createTime: time = "2026-01-01T00:00:00Z", modelVersion, responseId } = first;
  if (!isText(modelVersion) || !isText(responseId)) faults.push("nobody answers, or no answer");
  if (typeof time !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(time))
    faults.push("the time is not as ISO 8601 writes it");
  if (chunks.some((chunk) => objectsIn(chunk["candidates"]).length === 0))
    faults.push("a chunk without a candidate");
  if (chunks.some((chunk) => chunk["error"] !== undefined))
    faults.push("an error in a stream with an end");
  return faults;
}

const COUNTS = ["promptTokenCount", "candidatesTokenCount", "totalTokenCount"];

/** Cumulative, so the last chunk's is the answer's; thoughts are counted beside the rest. */
function usageFaults(chunks: readonly JsonObject[]): readonly string[] {
  const reports = chunks.map((chunk) => chunk["usageMetadata"]).filter(isObject);
  const last = reports.at(-1);
  if (last === undefined) return [];
  const faults = isObject(chunks.at(-1)?.["usageMetadata"]) ? [] : ["the last chunk has no usage"];
  const sum = [
    "promptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "toolUsePromptTokenCount",
  ]
    .map((name) => Number(last[name] ?? 0))
    .reduce((a, b) => a + b, 0);
  if (COUNTS.some((name) => name !== "candidatesTokenCount" && !Number.isInteger(last[name])))
    faults.push("a count is not a whole number");
  if (sum !== last["totalTokenCount"]) faults.push("the counts do not add up to the total");
  if (Number(last["cachedContentTokenCount"] ?? 0) > Number(last["promptTokenCount"]))
    faults.push("more is cached than was asked");
  return faults;
}

/** The chunks of one candidate, in order. */
function candidateFaults(chunks: readonly JsonObject[], showsThoughts: boolean): readonly string[] {
  const faults: string[] = [];
  if (chunks.some((chunk) => !Number.isInteger(indexOf(chunk)))) faults.push("no index");
  const contents = chunks.map((chunk) => (isObject(chunk["content"]) ? chunk["content"] : {}));
  if (contents.some((content) => content["role"] !== "model" || !isArray(content["parts"])))
    faults.push("a content without its role or its parts");
  const ends = chunks.filter((chunk) => chunk["finishReason"] !== undefined);
  if (ends.length !== 1 || ends[0] !== chunks.at(-1))
    faults.push("a candidate does not end once, with its last chunk");
  const reason = chunks.at(-1)?.["finishReason"];
  if (typeof reason !== "string" || !REASONS.includes(reason))
    faults.push(`'${JSON.stringify(reason)}' is no reason`);

  const parts = contents.flatMap((content) => objectsIn(content["parts"]));
  for (const part of parts) faults.push(...partFaults(part, showsThoughts));
  const ids = parts
    .map((part) => (isObject(part["functionCall"]) ? part["functionCall"]["id"] : undefined))
    .filter((id) => id !== undefined);
  if (new Set(ids).size !== ids.length) faults.push("two calls have one id");
  return faults;
}

function partFaults(part: JsonObject, showsThoughts: boolean): readonly string[] {
  const faults: string[] = [];
  if (DATA.filter((name) => name in part).length !== 1)
    faults.push(`not one kind of data: ${Object.keys(part).join()}`);
  if (part["thought"] === true && !showsThoughts)
    faults.push("a thought for a caller who did not ask");
  const signature = part["thoughtSignature"];
  if (signature !== undefined && !(typeof signature === "string" && /^[\w+/=-]+$/.test(signature)))
    faults.push("a signature that is not base64");
  const call = part["functionCall"];
  if (call !== undefined && !isWholeCall(call)) faults.push("a call is not whole");
  const data = part["inlineData"];
  if (isObject(data) && (!isText(data["mimeType"]) || !isText(data["data"])))
    faults.push("media without its type or its data");
  return faults;
}

function isWholeCall(call: Json): boolean {
  return isObject(call) && isText(call["name"]) && isObject(call["args"]);
}

function isText(value: Json | undefined): boolean {
  return typeof value === "string" && value !== "";
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return isArray(list) ? list.filter(isObject) : [];
}
