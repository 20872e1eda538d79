import type { ChatEvent, ChatRequest, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { buildCitation } from "./citation.ts";
import { inlinesReasoning, wantsUsage } from "./facts.ts";
import { FINISH_WORDS } from "./finish.ts";
import { headOfAnswer } from "./head.ts";
import { buildImage, buildLogprobs } from "./response-out.ts";
import { CHAT, spellingIn } from "./spelling.ts";
import { buildUsage } from "./usage.ts";

/** Chunks in the exact order that clients of this style put them together by. */
export async function* encodeStream(
  events: AsyncIterable<ChatEvent>,
  request: ChatRequest,
): AsyncGenerator<string> {
  const writer = writerFor(request);
  let isFinished = false;

  for await (const event of events) {
    switch (event.type) {
      case "start":
        writer.head = headOfAnswer(event, request, "chat.completion.chunk");
        break;
      case "open":
        yield* writeOpen(writer, event.choice, event.block);
        break;
      case "delta":
        yield* writeDelta(writer, event);
        break;
      case "cite":
        yield chunk(writer, event.choice, { annotations: [buildCitation(event.citation)] });
        break;
      case "close":
        yield* writeClose(writer, event);
        break;
      case "finish":
        yield* writeFinish(writer, event);
        isFinished = true;
        break;
      case "usage":
        if (writer.wantsUsage) yield usageChunk(writer, event);
        break;
    }
  }
  // Without a reason for its end an answer has not ended, whatever its source believes.
  if (!isFinished)
    throw new GatewayError("upstream_failed", "The answer broke off before its end.");
  yield formatSse("[DONE]");
}

interface Writer {
  head: JsonObject;
  readonly wantsUsage: boolean;
  readonly inlinesReasoning: boolean;
  readonly wantsFunctionCall: boolean;
  readonly choices: Map<number, WrittenChoice>;
}

interface WrittenChoice {
  block: OpenBlock | undefined;
  calls: number;
  /** An image goes out whole. */
  image: string;
}

function writerFor(request: ChatRequest): Writer {
  const spelling = spellingIn(request) ?? {};
  return {
    head: headOfAnswer(undefined, request, "chat.completion.chunk"),
    wantsUsage: wantsUsage(spelling),
    inlinesReasoning: inlinesReasoning(spelling),
    wantsFunctionCall: spelling["functions"] === true,
    choices: new Map(),
  };
}

/** The first chunk of a choice names the role, and nothing as its content. */
function* choiceOf(
  writer: Writer,
  index: number,
  firstContent: "" | null,
): Generator<string, WrittenChoice> {
  const known = writer.choices.get(index);
  if (known !== undefined) return known;
  const choice: WrittenChoice = { block: undefined, calls: 0, image: "" };
  writer.choices.set(index, choice);
  yield chunk(writer, index, { role: "assistant", content: firstContent });
  return choice;
}

function* writeOpen(writer: Writer, index: number, block: OpenBlock): Generator<string> {
  const choice = yield* choiceOf(writer, index, block.type === "tool_call" ? null : "");
  choice.block = block;
  switch (block.type) {
    case "reasoning":
      if (writer.inlinesReasoning) yield chunk(writer, index, { content: "<think>\n" });
      break;
    case "tool_call":
      choice.calls++;
      yield* writeCall(writer, index, choice, block);
      break;
    case "audio": {
      const id = block.extra?.[CHAT]?.["id"];
      if (id !== undefined) yield chunk(writer, index, { audio: { id } });
      break;
    }
    case "image":
      choice.image = "";
      break;
    case "text":
    case "refusal":
      break;
  }
}

function* writeCall(
  writer: Writer,
  index: number,
  choice: WrittenChoice,
  block: Extract<OpenBlock, { type: "tool_call" }>,
): Generator<string> {
  const { id, name, kind } = block;
  if (writer.wantsFunctionCall) {
    if (choice.calls === 1) yield chunk(writer, index, { function_call: { name, arguments: "" } });
    return;
  }
  const begun = kind === "custom" ? { name, input: "" } : { name, arguments: "" };
  yield chunk(writer, index, {
    tool_calls: [{ index: choice.calls - 1, id, type: kind, [kind]: begun }],
  });
}

function* writeDelta(
  writer: Writer,
  event: Extract<ChatEvent, { type: "delta" }>,
): Generator<string> {
  const choice = writer.choices.get(event.choice);
  const { text } = event;
  switch (choice?.block?.type) {
    case "text":
      yield chunk(writer, event.choice, { content: text }, logprobsOf(event, "content"));
      break;
    case "refusal":
      yield chunk(writer, event.choice, { refusal: text }, logprobsOf(event, "refusal"));
      break;
    case "reasoning":
      yield chunk(
        writer,
        event.choice,
        writer.inlinesReasoning ? { content: text } : { reasoning_content: text },
      );
      break;
    case "tool_call":
      yield* writeArguments(writer, event.choice, choice, text);
      break;
    case "audio": {
      const { transcript } = event;
      const said = transcript === undefined ? {} : { transcript };
      yield chunk(writer, event.choice, {
        audio: { ...(text === "" ? {} : { data: text }), ...said },
      });
      break;
    }
    case "image":
      choice.image += text;
      break;
    case undefined:
      break;
  }
}

function* writeArguments(
  writer: Writer,
  index: number,
  choice: WrittenChoice,
  text: string,
): Generator<string> {
  const { block, calls } = choice;
  if (block?.type !== "tool_call") return;
  if (writer.wantsFunctionCall) {
    if (calls === 1) yield chunk(writer, index, { function_call: { arguments: text } });
    return;
  }
  const member = block.kind === "custom" ? "input" : "arguments";
  yield chunk(writer, index, {
    tool_calls: [{ index: calls - 1, [block.kind]: { [member]: text } }],
  });
}

function* writeClose(
  writer: Writer,
  event: Extract<ChatEvent, { type: "close" }>,
): Generator<string> {
  const choice = writer.choices.get(event.choice);
  const block = choice?.block;
  if (choice === undefined || block === undefined) return;
  if (block.type === "reasoning" && writer.inlinesReasoning) {
    yield chunk(writer, event.choice, { content: "\n</think>\n" });
  } else if (block.type === "image") {
    const image = buildImage({ mediaType: block.mediaType ?? "image/png", base64: choice.image });
    yield chunk(writer, event.choice, { images: [image] });
    choice.image = "";
  } else if (block.type === "audio") {
    const expires = event.extra?.[CHAT]?.["expires_at"];
    if (expires !== undefined)
      yield chunk(writer, event.choice, { audio: { expires_at: expires } });
  }
  choice.block = undefined;
}

function* writeFinish(
  writer: Writer,
  event: Extract<ChatEvent, { type: "finish" }>,
): Generator<string> {
  const choice = yield* choiceOf(writer, event.choice, "");
  const isFunctionCall =
    writer.wantsFunctionCall && choice.calls > 0 && event.reason === "tool_calls";
  const reason = isFunctionCall ? "function_call" : FINISH_WORDS[event.reason];
  yield chunk(writer, event.choice, {}, null, reason);
}

function usageChunk(writer: Writer, event: Extract<ChatEvent, { type: "usage" }>): string {
  return formatSse(JSON.stringify({ ...writer.head, choices: [], usage: buildUsage(event.usage) }));
}

function chunk(
  writer: Writer,
  index: number,
  delta: JsonObject,
  logprobs: Json = null,
  reason: string | null = null,
): string {
  const choices = [{ index, delta, logprobs, finish_reason: reason }];
  return formatSse(
    JSON.stringify({ ...writer.head, choices, ...(writer.wantsUsage ? { usage: null } : {}) }),
  );
}

function logprobsOf(
  { logprobs }: Extract<ChatEvent, { type: "delta" }>,
  of: "content" | "refusal",
): Json {
  if (!isArray(logprobs)) return null;
  return of === "content" ? buildLogprobs(logprobs, []) : buildLogprobs([], logprobs);
}
