import type { FinishReason } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { framesIn, jsonIn, listIn, numberIn, objectIn, textIn } from "#test/matrix/wire.ts";
import {
  asJson,
  distinct,
  type ReceivedAnswer,
  type ToldCall,
  type ToldChoice,
  type ToldUsage,
} from "./cross-told.ts";

/**
 * Answers as a client of the style reads them, from the style's documents
 * alone: no code is shared with the gateway's own decoders.
 */
export interface Reader {
  readWhole(body: JsonObject): ReceivedAnswer;
  readStream(stream: string): ReceivedAnswer;
}

const EMPTY: ToldChoice = {
  text: "",
  refusal: "",
  reasoning: "",
  calls: [],
  images: [],
  cited: [],
  finish: "other",
};

export const chatReader: Reader = {
  readWhole: (body) => chatTold([body]),
  readStream: (stream) => chatTold(chunksIn(stream)),
};

function chatTold(chunks: readonly JsonObject[]): ReceivedAnswer {
  const pieces = chunks.flatMap(({ choices }) => listIn(choices));
  const indexes = [...new Set(pieces.map(({ index }) => numberIn(index)))].sort((a, b) => a - b);
  const usage = chunks.map((chunk) => chunk["usage"]).findLast(isFilled);
  return {
    choices: indexes.map((at) => chatChoice(pieces.filter(({ index }) => numberIn(index) === at))),
    usage: isFilled(usage) ? chatUsage(objectIn(usage)) : undefined,
  };
}

function chatChoice(pieces: readonly JsonObject[]): ToldChoice {
  const deltas = pieces.map(({ delta, message }) => objectIn(delta ?? message));
  const joined = (name: string): string => deltas.map((delta) => textIn(delta[name])).join("");
  const calls: { id: string; name: string; kind: ToldCall["kind"]; args: string }[] = [];
  for (const delta of deltas) {
    for (const [at, piece] of listIn(delta["tool_calls"]).entries()) {
      const body = objectIn(piece["function"] ?? piece["custom"]);
      const call = (calls["index" in piece ? numberIn(piece["index"]) : at] ??= {
        id: textIn(piece["id"]),
        name: textIn(body["name"]),
        kind: piece["type"] === "custom" ? "custom" : "function",
        args: "",
      });
      call.args += textIn(body["arguments"] ?? body["input"]);
    }
  }
  const sound = deltas.map((delta) => textIn(objectIn(delta["audio"])["transcript"])).join("");
  const notes = deltas.flatMap((delta) => listIn(delta["annotations"]));
  const shown = deltas.flatMap((delta) => listIn(delta["images"]));
  return {
    text: joined("content") + sound,
    refusal: joined("refusal"),
    reasoning: joined("reasoning_content"),
    calls: calls.map((call) => ({ ...call, args: argsOf(call.kind, call.args) })),
    images: shown.map((image) => afterComma(textIn(objectIn(image["image_url"])["url"]))),
    cited: distinct(notes.map((note) => textIn(objectIn(note["url_citation"])["url"]))),
    finish: CHAT_ENDS[textIn(pieces.at(-1)?.["finish_reason"])] ?? "other",
  };
}

const CHAT_ENDS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
};

function chatUsage(usage: JsonObject): ToldUsage {
  return {
    input: numberIn(usage["prompt_tokens"]),
    cached: numberIn(objectIn(usage["prompt_tokens_details"])["cached_tokens"]),
    output: numberIn(usage["completion_tokens"]),
    reasoning: numberIn(objectIn(usage["completion_tokens_details"])["reasoning_tokens"]),
  };
}

export const responsesReader: Reader = {
  readWhole: responseTold,
  /** From the pieces; the end repeats everything, and the grammar holds the two together. */
  readStream(stream) {
    const events = chunksIn(stream);
    const of = (type: string): readonly JsonObject[] =>
      events.filter((event) => event["type"] === `response.${type}`);
    const joined = (type: string): string =>
      of(type)
        .map(({ delta }) => textIn(delta))
        .join("");
    const end = responseTold(objectIn(events.at(-1)?.["response"]));
    const { cited, finish, images } = end.choices[0] ?? EMPTY;
    const notes = of("output_text.annotation.added").map(({ annotation }) => objectIn(annotation));
    const thoughts = [...of("reasoning_summary_text.done"), ...of("reasoning_text.done")];
    const inOrder = events.filter((event) => thoughts.includes(event));
    const items = of("output_item.added").map((event) => ({
      event,
      item: objectIn(event["item"]),
    }));
    const calls = items.filter(({ item }) =>
      /^(function|custom_tool)_call$/.test(textIn(item["type"])),
    );
    return {
      choices: [
        {
          text: joined("output_text.delta"),
          refusal: joined("refusal.delta"),
          reasoning: inOrder.map(({ text }) => textIn(text)).join(""),
          calls: calls.map(({ event, item }) => {
            const own = events.filter((one) => one["output_index"] === event["output_index"]);
            const args = own.map(({ type, delta }) =>
              /(arguments|input)\.delta$/.test(textIn(type)) ? textIn(delta) : "",
            );
            return callOf(item, args.join(""));
          }),
          images,
          cited: notes.length > 0 ? addressesIn(notes) : cited,
          finish,
        },
      ],
      usage: end.usage,
    };
  },
};

function responseTold(response: JsonObject): ReceivedAnswer {
  const items = listIn(response["output"]);
  const of = (type: RegExp): readonly JsonObject[] =>
    items.filter((item) => type.test(textIn(item["type"])));
  const parts = of(/^message$/).flatMap((item) => listIn(item["content"]));
  const thoughts = of(/^reasoning$/).flatMap((item) => [
    ...listIn(item["summary"]),
    ...listIn(item["content"]),
  ]);
  const calls = of(/^(function|custom_tool)_call$/).map((item) =>
    callOf(item, textIn(item["arguments"] ?? item["input"])),
  );
  const notes = parts.flatMap((part) => listIn(part["annotations"]));
  const usage = objectIn(response["usage"]);
  const choice: ToldChoice = {
    text: parts.map(({ text }) => textIn(text)).join(""),
    refusal: parts.map(({ refusal }) => textIn(refusal)).join(""),
    reasoning: thoughts.map(({ text }) => textIn(text)).join(""),
    calls,
    images: of(/^image_generation_call$/).map(({ result }) => textIn(result)),
    cited: addressesIn(notes),
    finish: responseEnd(response, calls.length > 0),
  };
  return {
    choices: [choice],
    usage: isFilled(response["usage"])
      ? {
          input: numberIn(usage["input_tokens"]),
          cached: numberIn(objectIn(usage["input_tokens_details"])["cached_tokens"]),
          output: numberIn(usage["output_tokens"]),
          reasoning: numberIn(objectIn(usage["output_tokens_details"])["reasoning_tokens"]),
        }
      : undefined,
  };
}

/** Files are cited without one. */
function addressesIn(notes: readonly JsonObject[]): readonly string[] {
  return distinct(notes.map(({ url }) => textIn(url)).filter((url) => url !== ""));
}

function callOf(item: JsonObject, args: string): ToldCall {
  const kind = item["type"] === "custom_tool_call" ? "custom" : "function";
  return {
    id: textIn(item["call_id"]),
    name: textIn(item["name"]),
    kind,
    args: argsOf(kind, args),
  };
}

/** Free text is no JSON, even where it looks so. */
function argsOf(kind: ToldCall["kind"], args: string): Json {
  return kind === "custom" ? args : asJson(args);
}

function responseEnd(response: JsonObject, hasCalls: boolean): FinishReason {
  const { reason } = objectIn(response["incomplete_details"]);
  if (reason === "max_output_tokens") return "length";
  if (reason === "content_filter") return "content_filter";
  if (response["status"] !== "completed") return "other";
  return hasCalls ? "tool_calls" : "stop";
}

export const messagesReader: Reader = {
  readWhole: messageTold,
  readStream(stream) {
    let message: JsonObject = {};
    const blocks: Record<string, Json | undefined>[] = [];
    const pieces: JsonObject[][] = [];
    for (const event of chunksIn(stream)) {
      const at = numberIn(event["index"]);
      const delta = objectIn(event["delta"]);
      if (event["type"] === "message_start") message = objectIn(event["message"]);
      else if (event["type"] === "content_block_start") {
        blocks[at] = { ...objectIn(event["content_block"]) };
        pieces[at] = [];
      } else if (event["type"] === "content_block_delta") pieces[at]?.push(delta);
      else if (event["type"] === "message_delta") {
        const usage = { ...objectIn(message["usage"]), ...objectIn(event["usage"]) };
        message = { ...message, ...delta, usage };
      }
    }
    const content = blocks.map((block, at) => whole(block, pieces[at] ?? []));
    return messageTold({ ...message, content });
  },
};

function whole(block: JsonObject, pieces: readonly JsonObject[]): JsonObject {
  const joined = (name: string): string => pieces.map((piece) => textIn(piece[name])).join("");
  switch (block["type"]) {
    case "text":
      return {
        ...block,
        text: joined("text"),
        citations: pieces.flatMap(({ citation }) => (citation === undefined ? [] : [citation])),
      };
    case "thinking":
      return { ...block, thinking: joined("thinking") };
    case "tool_use":
      return { ...block, input: asJson(joined("partial_json")) };
    default:
      return block;
  }
}

function messageTold(message: JsonObject): ReceivedAnswer {
  const blocks = listIn(message["content"]);
  const usage = objectIn(message["usage"]);
  const cached = numberIn(usage["cache_read_input_tokens"]);
  const written = numberIn(usage["cache_creation_input_tokens"]);
  const text = blocks.map((block) => (block["type"] === "text" ? textIn(block["text"]) : ""));
  const notes = blocks.flatMap((block) => listIn(block["citations"]));
  const choice: ToldChoice = {
    text: withoutPictures(text.join("")),
    refusal: "",
    reasoning: blocks.map(({ thinking }) => textIn(thinking)).join(""),
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({
        id: textIn(id),
        name: textIn(name),
        kind: "function",
        args: input ?? null,
      })),
    images: picturesIn(text.join("")),
    cited: distinct(notes.map(addressOf).filter((url) => url.startsWith("http"))),
    finish: MESSAGE_ENDS[textIn(message["stop_reason"])] ?? "other",
  };
  return {
    choices: [choice],
    usage: {
      input: numberIn(usage["input_tokens"]) + cached + written,
      cached,
      output: numberIn(usage["output_tokens"]),
      reasoning: numberIn(objectIn(usage["output_tokens_details"])["thinking_tokens"]),
    },
  };
}

/** A picture has no place in this style but in the text. */
const SHOWN = /!\[image\]\(data:[^,]*,([^)]*)\)/g;

export function withoutPictures(text: string): string {
  return text.replaceAll(SHOWN, "");
}

export function picturesIn(text: string): readonly string[] {
  return [...text.matchAll(SHOWN)].map(([, data]) => data ?? "");
}

function addressOf(citation: JsonObject): string {
  return textIn(citation["url"]) || textIn(citation["source"]);
}

const MESSAGE_ENDS: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

export const nativeReader: Reader = {
  readWhole: (body) => nativeTold([body]),
  readStream: (stream) => nativeTold(chunksIn(stream)),
};

function nativeTold(chunks: readonly JsonObject[]): ReceivedAnswer {
  const pieces = chunks.flatMap(({ candidates }) => listIn(candidates));
  const indexes = [...new Set(pieces.map(({ index }) => numberIn(index)))].sort((a, b) => a - b);
  const usage = objectIn(chunks.map((chunk) => chunk["usageMetadata"]).findLast(isFilled));
  const thoughts = numberIn(usage["thoughtsTokenCount"]);
  return {
    choices: indexes.map((at) =>
      nativeChoice(pieces.filter(({ index }) => numberIn(index) === at)),
    ),
    usage: {
      input: numberIn(usage["promptTokenCount"]) + numberIn(usage["toolUsePromptTokenCount"]),
      cached: numberIn(usage["cachedContentTokenCount"]),
      output: numberIn(usage["candidatesTokenCount"]) + thoughts,
      reasoning: thoughts,
    },
  };
}

function nativeChoice(pieces: readonly JsonObject[]): ToldChoice {
  const parts = pieces.flatMap(({ content }) => listIn(objectIn(content)["parts"]));
  const texts = (isThought: boolean): string =>
    parts
      .filter(({ thought }) => (thought === true) === isThought)
      .map(({ text }) => textIn(text))
      .join("");
  const calls = parts
    .filter((part) => "functionCall" in part)
    .map((part) => objectIn(part["functionCall"]))
    .map(({ id, name, args }): ToldCall => ({
      id: textIn(id),
      name: textIn(name),
      kind: "function",
      args: args ?? {},
    }));
  const media = parts
    .filter(({ thought }) => thought !== true)
    .map(({ inlineData }) => objectIn(inlineData));
  const pictures = media.filter(({ mimeType }) => textIn(mimeType).startsWith("image/"));
  const grounding = pieces.flatMap(({ groundingMetadata }) =>
    listIn(objectIn(groundingMetadata)["groundingChunks"]),
  );
  const word = pieces.map(({ finishReason }) => textIn(finishReason)).findLast((one) => one !== "");
  return {
    text: texts(false),
    refusal: "",
    reasoning: texts(true),
    calls,
    images: pictures.map(({ data }) => textIn(data)),
    cited: distinct(
      grounding
        .map(({ web, maps, retrievedContext }) => objectIn(web ?? maps ?? retrievedContext))
        .map(({ uri }) => textIn(uri))
        .filter((uri) => uri !== ""),
    ),
    finish: nativeEnd(word ?? "", calls.length > 0),
  };
}

const NATIVE_ENDS: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
};

/** Calls have no word of their own. */
function nativeEnd(word: string, hasCalls: boolean): FinishReason {
  const end = NATIVE_ENDS[word] ?? "other";
  return hasCalls && (end === "stop" || end === "other") ? "tool_calls" : end;
}

function chunksIn(stream: string): readonly JsonObject[] {
  return framesIn(stream)
    .filter((data) => data !== "[DONE]")
    .map((data) => objectIn(jsonIn(data)));
}

function isFilled(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function afterComma(url: string): string {
  return url.slice(url.indexOf(",") + 1);
}
