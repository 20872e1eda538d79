import type { ChatEvent, ChatRequest, OpenBlock } from "#core/chat.ts";
import type { GatewayError } from "#core/error.ts";
import type { Usage } from "#core/usage.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, textOf } from "#lib/values.ts";
import { CallWriter } from "./call-writer.ts";
import { ClientCallWriter } from "./client-call-writer.ts";
import { clientToolOf } from "../conversation/client-tools.ts";
import { declarationOf } from "../conversation/declared-tools.ts";
import { buildFailure } from "../error.ts";
import { buildEnding, type Ending } from "../finish.ts";
import { buildHead } from "./head.ts";
import type { Emit, ItemStatus, ItemWriter } from "./item-writer.ts";
import { isSaid, MessageWriter } from "./message-writer.ts";
import { ReasoningWriter, type Visibility } from "./reasoning-writer.ts";
import { ServerItemWriter } from "./server-item-writer.ts";
import { ENCRYPTED, RESPONSES, rawFieldsOf } from "../raw-fields.ts";
import { buildUsage } from "../usage.ts";

/**
 * Writes an answer item by item. An item is ended by the next one or by the
 * answer's end, since only that says whether it was cut off.
 */
export class ResponseWriter {
  readonly #request: ChatRequest;
  readonly #emit: Emit;
  readonly #visibility: Visibility;
  readonly #output: JsonObject[] = [];
  #head: JsonObject | undefined;
  #item: ItemWriter | undefined;
  /** Inside a block that this style has no place for. */
  #isSkipping = false;
  #ending: Ending | undefined;
  #usage: Usage | undefined;
  #finishedAt: number | undefined;

  constructor(request: ChatRequest, emit: Emit) {
    const proof = listOf(rawFieldsOf(request)?.["include"]).includes(ENCRYPTED);
    const visible = request.reasoning?.visible;
    this.#request = request;
    this.#emit = emit;
    this.#visibility = { text: visible === true || (proof && visible !== false), proof };
  }

  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  write(event: ChatEvent): void {
    switch (event.type) {
      case "start":
        this.#start(event);
        break;
      case "open":
        this.#open(event.block);
        break;
      case "delta":
        if (!this.#isSkipping) this.#item?.delta(event);
        break;
      case "cite":
        if (!this.#isSkipping) this.#item?.cite(event.citation);
        break;
      case "close":
        if (!this.#isSkipping) this.#item?.close(event);
        this.#isSkipping = false;
        break;
      case "finish":
        this.#ending = buildEnding(event.reason, textOf(event.extra?.[RESPONSES]?.["reason"]));
        this.#finishedAt = event.at;
        this.#endItem(this.#ending.status);
        break;
      case "usage":
        this.#usage = event.usage;
        break;
    }
  }

  /** The response, over. */
  end(): JsonObject {
    const ending = this.#ending ?? buildEnding("other", undefined);
    const response = this.#response({ ...ending, completed_at: this.#completedAt(ending) });
    this.#emit(`response.${ending.status}`, { response });
    return response;
  }

  /** In Unix seconds. What was cut off was not completed. */
  #completedAt({ status }: Ending): Json {
    if (status !== "completed") return null;
    if (this.#finishedAt !== undefined) return Math.floor(this.#finishedAt / 1_000);
    return this.#started()["created_at"] ?? null;
  }

  fail(error: GatewayError): void {
    const response = this.#response({ status: "failed", error: buildFailure(error) });
    this.#emit("response.failed", { response });
  }

  #response(ending: JsonObject | Ending): JsonObject {
    return {
      ...this.#started(),
      ...ending,
      output: this.#output,
      usage: this.#usage === undefined ? null : buildUsage(this.#usage),
    };
  }

  #started(): JsonObject {
    return this.#head ?? this.#start(undefined);
  }

  #start(event: Extract<ChatEvent, { type: "start" }> | undefined): JsonObject {
    const head = buildHead(event, this.#request);
    this.#head = head;
    this.#emit("response.created", { response: head });
    this.#emit("response.in_progress", { response: head });
    return head;
  }

  #open(block: OpenBlock): void {
    this.#started();
    if (this.#item?.join(block) === true) return;
    this.#endItem("completed");
    const index = this.#output.length;
    const emit: Emit = (type, members) => this.#emit(type, { output_index: index, ...members });
    this.#item = this.#writerOf(block, emit);
    this.#isSkipping = this.#item === undefined;
  }

  #writerOf(block: OpenBlock, emit: Emit): ItemWriter | undefined {
    if (isSaid(block)) return new MessageWriter(emit, block);
    switch (block.type) {
      case "reasoning":
        return new ReasoningWriter(emit, block, this.#visibility);
      case "tool_call":
        return this.#callWriterOf(block, emit);
      case "other":
        return block.style === RESPONSES ? new ServerItemWriter(emit, block) : undefined;
      case "image":
      case "text":
      case "refusal":
      case "audio":
        return new ServerItemWriter(emit, block);
    }
  }

  /** In the form in which its tool was declared. */
  #callWriterOf(call: Extract<OpenBlock, { type: "tool_call" }>, emit: Emit): ItemWriter {
    const tool = this.#request.tools?.find(({ name }) => name === call.name);
    const declared = tool === undefined ? undefined : declarationOf(tool);
    if (declared === undefined || call.extra?.[RESPONSES]?.["namespace"] !== undefined) {
      return new CallWriter(emit, call);
    }
    const client = clientToolOf(declared.wire);
    if (client !== undefined) return new ClientCallWriter(emit, call, client);
    const { name, namespace } = declared;
    const own = { ...call.extra?.[RESPONSES], ...defined({ namespace }) };
    return new CallWriter(emit, { ...call, name, extra: { ...call.extra, [RESPONSES]: own } });
  }

  #endItem(status: ItemStatus): void {
    if (this.#item === undefined) return;
    const item = this.#item.end(status);
    this.#emit("response.output_item.done", { output_index: this.#output.length, item });
    this.#output.push(item);
    this.#item = undefined;
  }
}
