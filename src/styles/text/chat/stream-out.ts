import type { ChatEvent, ChatRequest, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamEncoder } from "#core/style.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { buildCitation } from "./citation.ts";
import { encodeError } from "./error.ts";
import { inlinesReasoning, wantsUsage } from "./facts.ts";
import { FINISH_WORDS } from "./finish.ts";
import { headOfAnswer } from "./head.ts";
import { buildImage, buildLogprobs } from "./response-out.ts";
import { CHAT, spellingIn } from "./spelling.ts";
import { buildUsage } from "./usage.ts";

/** Chunks in the exact order that clients of this style put them together by. */
export function openEncoder(request: ChatRequest): StreamEncoder {
  return new ChatEncoder(request);
}

interface WrittenChoice {
  block: OpenBlock | undefined;
  calls: number;
  /** An image goes out whole. */
  image: string;
}

class ChatEncoder implements StreamEncoder {
  readonly #request: ChatRequest;
  readonly #wantsUsage: boolean;
  readonly #inlinesReasoning: boolean;
  readonly #wantsFunctionCall: boolean;
  readonly #choices = new Map<number, WrittenChoice>();
  #head: JsonObject;
  #isFinished = false;
  #out = "";

  constructor(request: ChatRequest) {
    const spelling = spellingIn(request) ?? {};
    this.#request = request;
    this.#wantsUsage = wantsUsage(spelling);
    this.#inlinesReasoning = inlinesReasoning(spelling);
    this.#wantsFunctionCall = spelling["functions"] === true;
    this.#head = headOfAnswer(undefined, request, "chat.completion.chunk");
  }

  encode(event: ChatEvent): string {
    this.#write(event);
    return this.#take();
  }

  /** Without a reason for its end an answer has not ended, whatever its source believes. */
  end(): string {
    if (this.#isFinished) return formatSse("[DONE]");
    throw new GatewayError("upstream_failed", "The answer broke off before its end.");
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  #take(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  #write(event: ChatEvent): void {
    switch (event.type) {
      case "start":
        this.#head = headOfAnswer(event, this.#request, "chat.completion.chunk");
        break;
      case "open":
        this.#writeOpen(event.choice, event.block);
        break;
      case "delta":
        this.#writeDelta(event);
        break;
      case "cite":
        this.#chunk(event.choice, { annotations: [buildCitation(event.citation)] });
        break;
      case "close":
        this.#writeClose(event);
        break;
      case "finish":
        this.#writeFinish(event);
        this.#isFinished = true;
        break;
      case "usage":
        if (this.#wantsUsage) this.#writeUsage(event);
        break;
    }
  }

  /** The first chunk of a choice names the role, and nothing as its content. */
  #choiceOf(index: number, firstContent: "" | null): WrittenChoice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice: WrittenChoice = { block: undefined, calls: 0, image: "" };
    this.#choices.set(index, choice);
    this.#chunk(index, { role: "assistant", content: firstContent });
    return choice;
  }

  #writeOpen(index: number, block: OpenBlock): void {
    const choice = this.#choiceOf(index, block.type === "tool_call" ? null : "");
    choice.block = block;
    switch (block.type) {
      case "reasoning":
        if (this.#inlinesReasoning) this.#chunk(index, { content: "<think>\n" });
        break;
      case "tool_call":
        choice.calls++;
        this.#writeCall(index, choice, block);
        break;
      case "audio": {
        const id = block.extra?.[CHAT]?.["id"];
        if (id !== undefined) this.#chunk(index, { audio: { id } });
        break;
      }
      case "image":
        choice.image = "";
        break;
      case "text":
      case "refusal":
      case "other":
        break;
    }
  }

  #writeCall(
    index: number,
    choice: WrittenChoice,
    block: Extract<OpenBlock, { type: "tool_call" }>,
  ): void {
    const { id, name, kind } = block;
    if (this.#wantsFunctionCall) {
      if (choice.calls === 1) this.#chunk(index, { function_call: { name, arguments: "" } });
      return;
    }
    const begun = kind === "custom" ? { name, input: "" } : { name, arguments: "" };
    this.#chunk(index, {
      tool_calls: [{ index: choice.calls - 1, id, type: kind, [kind]: begun }],
    });
  }

  #writeDelta(event: Extract<ChatEvent, { type: "delta" }>): void {
    const choice = this.#choices.get(event.choice);
    const { text } = event;
    switch (choice?.block?.type) {
      case "text":
        this.#chunk(event.choice, { content: text }, logprobsOf(event, "content"));
        break;
      case "refusal":
        this.#chunk(event.choice, { refusal: text }, logprobsOf(event, "refusal"));
        break;
      case "reasoning":
        this.#chunk(
          event.choice,
          this.#inlinesReasoning ? { content: text } : { reasoning_content: text },
        );
        break;
      case "tool_call":
        this.#writeArguments(event.choice, choice, text);
        break;
      case "audio": {
        const { transcript } = event;
        const said = transcript === undefined ? {} : { transcript };
        this.#chunk(event.choice, {
          audio: { ...(text === "" ? {} : { data: text }), ...said },
        });
        break;
      }
      case "image":
        choice.image += text;
        break;
      case "other":
      case undefined:
        break;
    }
  }

  #writeArguments(index: number, choice: WrittenChoice, text: string): void {
    const { block, calls } = choice;
    if (block?.type !== "tool_call") return;
    if (this.#wantsFunctionCall) {
      if (calls === 1) this.#chunk(index, { function_call: { arguments: text } });
      return;
    }
    const member = block.kind === "custom" ? "input" : "arguments";
    this.#chunk(index, {
      tool_calls: [{ index: calls - 1, [block.kind]: { [member]: text } }],
    });
  }

  #writeClose(event: Extract<ChatEvent, { type: "close" }>): void {
    const choice = this.#choices.get(event.choice);
    const block = choice?.block;
    if (choice === undefined || block === undefined) return;
    if (block.type === "reasoning" && this.#inlinesReasoning) {
      this.#chunk(event.choice, { content: "\n</think>\n" });
    } else if (block.type === "image") {
      const image = buildImage({ mediaType: block.mediaType ?? "image/png", base64: choice.image });
      this.#chunk(event.choice, { images: [image] });
      choice.image = "";
    } else if (block.type === "audio") {
      const expires = event.extra?.[CHAT]?.["expires_at"];
      if (expires !== undefined) this.#chunk(event.choice, { audio: { expires_at: expires } });
    }
    choice.block = undefined;
  }

  #writeFinish(event: Extract<ChatEvent, { type: "finish" }>): void {
    const choice = this.#choiceOf(event.choice, "");
    const isFunctionCall =
      this.#wantsFunctionCall && choice.calls > 0 && event.reason === "tool_calls";
    const reason = isFunctionCall ? "function_call" : FINISH_WORDS[event.reason];
    this.#chunk(event.choice, {}, null, reason);
  }

  #writeUsage(event: Extract<ChatEvent, { type: "usage" }>): void {
    this.#out += formatSse(
      JSON.stringify({ ...this.#head, choices: [], usage: buildUsage(event.usage) }),
    );
  }

  #chunk(
    index: number,
    delta: JsonObject,
    logprobs: Json = null,
    reason: string | null = null,
  ): void {
    const choices = [{ index, delta, logprobs, finish_reason: reason }];
    this.#out += formatSse(
      JSON.stringify({ ...this.#head, choices, ...(this.#wantsUsage ? { usage: null } : {}) }),
    );
  }
}

function logprobsOf(
  { logprobs }: Extract<ChatEvent, { type: "delta" }>,
  of: "content" | "refusal",
): Json {
  if (!isArray(logprobs)) return null;
  return of === "content" ? buildLogprobs(logprobs, []) : buildLogprobs([], logprobs);
}
