import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";

const REASONS = ["stop", "length", "tool_calls", "content_filter", "function_call"];

/**
 * What is wrong with a stream of chat chunks, as text: the order and the
 * members that clients of this style rely on. Empty where nothing is.
 */
export function chatStreamFaults(
  stream: string,
  options: { wantsUsage: boolean },
): readonly string[] {
  const faults: string[] = [];
  const frames = stream.split("\n\n");
  if (frames.pop() !== "") faults.push("the last event lacks its blank line");
  const payloads = frames.map((frame) => {
    if (!frame.startsWith("data: ") || frame.includes("\n"))
      faults.push(`not one data line: ${frame.slice(0, 80)}`);
    return frame.slice("data: ".length);
  });
  if (payloads.pop() !== "[DONE]") faults.push("the stream does not end with its end mark");

  const chunks = payloads.map((payload) => {
    const json = parseJson(payload);
    if (!isObject(json)) faults.push(`not an object: ${payload.slice(0, 80)}`);
    return isObject(json) ? json : {};
  });
  faults.push(...headFaults(chunks), ...usageFaults(chunks, options.wantsUsage));
  const choices = chunks
    .flatMap((chunk) => (isArray(chunk["choices"]) ? chunk["choices"] : []))
    .filter(isObject);
  for (const index of new Set(choices.map((choice) => choice["index"]))) {
    faults.push(...choiceFaults(choices.filter((choice) => choice["index"] === index)));
  }
  return faults;
}

function headFaults(chunks: readonly JsonObject[]): readonly string[] {
  const [first] = chunks;
  if (first === undefined) return ["there is no chunk"];
  const faults = ["id", "created", "model"]
    .filter((name) => chunks.some((chunk) => chunk[name] !== first[name]))
    .map((name) => `'${name}' is not the same in every chunk`);
  if (chunks.some((chunk) => chunk["object"] !== "chat.completion.chunk"))
    faults.push("wrong object");
  if (chunks.some((chunk) => chunk["error"] !== undefined))
    faults.push("an error in a stream with an end");
  return faults;
}

function usageFaults(chunks: readonly JsonObject[], wantsUsage: boolean): readonly string[] {
  if (!wantsUsage) {
    const isQuiet = chunks.every(
      (chunk) => !("usage" in chunk) && isArray(chunk["choices"]) && chunk["choices"].length > 0,
    );
    return isQuiet ? [] : ["usage, or a chunk without a choice, for a caller who did not ask"];
  }
  if (isCompact(chunks)) return [];
  return chunks.flatMap((chunk, at) => {
    const isLast = at === chunks.length - 1;
    const isEmpty = isArray(chunk["choices"]) && chunk["choices"].length === 0;
    if (isEmpty)
      return isLast && isObject(chunk["usage"])
        ? []
        : ["a chunk without a choice that is not the usage at the end"];
    return chunk["usage"] === null ? [] : ["a chunk before the end whose usage is not null"];
  });
}

/** For clients that read usage beside the last reason to end, and nothing of it before. */
function isCompact(chunks: readonly JsonObject[]): boolean {
  const last = chunks.at(-1);
  const [choice] = isArray(last?.["choices"]) ? last["choices"] : [];
  const isEnd = isObject(choice) && typeof choice["finish_reason"] === "string";
  return (
    isEnd && isObject(last?.["usage"]) && chunks.slice(0, -1).every((chunk) => !("usage" in chunk))
  );
}

/** The chunks of one choice, in order. */
function choiceFaults(chunks: readonly JsonObject[]): readonly string[] {
  const deltas = chunks.map((chunk) => (isObject(chunk["delta"]) ? chunk["delta"] : {}));
  const faults: string[] = [];
  if (deltas[0]?.["role"] !== "assistant")
    faults.push("the first chunk of a choice does not name the role");
  if (deltas.slice(1).some((delta) => "role" in delta)) faults.push("the role is named again");
  if (chunks.some((chunk) => !("logprobs" in chunk) || !("finish_reason" in chunk)))
    faults.push("a required member is missing");

  const ends = chunks.filter((chunk) => chunk["finish_reason"] !== null);
  const last = chunks.at(-1);
  if (ends.length !== 1 || ends[0] !== last)
    faults.push("a choice does not end once, with its last chunk");
  if (Object.keys(deltas.at(-1) ?? {}).length > 0)
    faults.push("the chunk with the reason says something else as well");
  const reason = last?.["finish_reason"] ?? "";
  if (typeof reason !== "string" || !REASONS.includes(reason))
    faults.push(`'${JSON.stringify(reason)}' is no reason`);

  const fragments = deltas
    .flatMap((delta) => (isArray(delta["tool_calls"]) ? delta["tool_calls"] : []))
    .filter(isObject);
  if (fragments.length > 0 && reason === "stop")
    faults.push("tool calls, but the reason is 'stop'");
  return [...faults, ...callFaults(fragments)];
}

function callFaults(fragments: readonly JsonObject[]): readonly string[] {
  const faults: string[] = [];
  const ids = new Set<Json>();
  let current = -1;
  for (const fragment of fragments) {
    const { index, id, type } = fragment;
    const body = fragment["function"] ?? fragment["custom"];
    const name = isObject(body) ? body["name"] : undefined;
    if (index === current + 1) {
      current++;
      if (
        typeof id !== "string" ||
        id === "" ||
        typeof name !== "string" ||
        typeof type !== "string"
      ) {
        faults.push("a call begins without its id, type or name");
      } else if (ids.has(id)) faults.push("two calls have one id");
      ids.add(id ?? null);
    } else if (index !== current) {
      faults.push(`a fragment of call ${JSON.stringify(index)} while call ${current} is written`);
    } else if (id !== undefined || name !== undefined || type !== undefined) {
      faults.push("a call's id, type or name is repeated");
    }
  }
  return faults;
}
