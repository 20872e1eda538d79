import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { readLines, readShared } from "#test/shared.ts";

export interface RecordedResponse {
  readonly file: string;
  readonly status: number;
  /** As the caller sent it, where that was recorded. */
  readonly request: JsonObject | undefined;
  /** The response object: the body of an answer in one piece, or what a stream ended with. */
  readonly response: JsonObject;
  readonly sse: string | undefined;
  /** Byte lengths in which the vendor's stream really came. */
  readonly pieces: readonly number[];
}

/** Every recorded exchange of this style. */
export function readResponsesCorpus(): readonly RecordedResponse[] {
  return readLines("corpus/index.jsonl")
    .filter((line) => line["endpoint"] === "responses")
    .map((line) => line["file"])
    .filter((file) => typeof file === "string")
    .map(readRecorded);
}

function readRecorded(file: string): RecordedResponse {
  const { request, response } = readShared(`corpus/${file}`);
  const asked = isObject(request) ? request["body"] : undefined;
  const answered = isObject(response) ? response : {};
  const { body, sse, wire_chunk_bytes: pieces } = answered;
  return {
    file,
    status: Number(answered["status"]),
    request: isObject(asked) ? asked : undefined,
    response: typeof sse === "string" ? finalIn(sse) : isObject(body) ? body : {},
    sse: typeof sse === "string" ? sse : undefined,
    pieces: isArray(pieces) ? pieces.filter((piece) => typeof piece === "number") : [],
  };
}

/** Some recordings lost the last blank line. */
export function eventsIn(sse: string): ReturnType<typeof readEvents> {
  return readEvents(`${sse}\n\n`);
}

function finalIn(sse: string): JsonObject {
  const events = eventsIn(sse).map(({ data }) => parseJson(data));
  const last = events
    .filter(isObject)
    .findLast((event) => /completed|incomplete/.test(name(event)));
  return isObject(last?.["response"]) ? last["response"] : {};
}

function name({ type, response }: JsonObject): string {
  return isObject(response) && typeof type === "string" ? type : "";
}

/** One vendor answers here in another style at times. */
export function isResponse({ status, response }: RecordedResponse): boolean {
  return status === 200 && isArray(response["output"]);
}

/** What a response says, read from its items in the plainest way; it shares nothing with the style. */
interface PlainlySaid {
  text: string;
  refusal: string;
  reasoning: string;
  readonly proofs: string[];
  readonly calls: { id: string; name: string; arguments: string }[];
  readonly citations: string[];
  readonly others: string[];
}

export function plainlySaid(response: JsonObject): PlainlySaid {
  const said: PlainlySaid = {
    text: "",
    refusal: "",
    reasoning: "",
    proofs: [],
    calls: [],
    citations: [],
    others: [],
  };
  for (const item of listIn(response, "output")) addItem(said, item);
  return said;
}

function addItem(said: PlainlySaid, item: JsonObject): void {
  switch (item["type"]) {
    case "message":
      for (const part of listIn(item, "content")) {
        said.text += text(part["text"]);
        said.refusal += text(part["refusal"]);
        for (const note of listIn(part, "annotations")) {
          if (note["type"] === "url_citation") said.citations.push(text(note["url"]));
        }
      }
      break;
    case "reasoning": {
      const summary = listIn(item, "summary").map((part) => text(part["text"]));
      const content = listIn(item, "content").map((part) => text(part["text"]));
      const words = (summary.join("") === "" ? content : summary).filter((one) => one !== "");
      said.reasoning += words.join("\n\n");
      if (text(item["encrypted_content"]) !== "") said.proofs.push(text(item["encrypted_content"]));
      break;
    }
    case "function_call":
    case "custom_tool_call":
      said.calls.push({
        id: text(item["call_id"]),
        name: text(item["name"]),
        arguments: text(item["arguments"] ?? item["input"]),
      });
      break;
    default:
      said.others.push(text(item["type"]));
  }
}

function listIn(value: JsonObject, member: string): readonly JsonObject[] {
  const list = value[member];
  return isArray(list) ? list.filter(isObject) : [];
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
