import type { ChatEvent } from "#core/chat.ts";
import { unixMs } from "#lib/unix-time.ts";
import { GatewayError } from "#core/error.ts";
import type { Usage } from "#core/usage.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, objectOf, pick, textOf } from "#lib/values.ts";
import { BlockQueue } from "#styles/text/block-queue.ts";
import { asGatewayError, errorIn, errorInEvent } from "../failure.ts";
import { parseFinish, reasonIn, saysNoEnd } from "../finish.ts";
import { ItemReader } from "./item-reader.ts";
import { RESPONSES } from "../raw-fields.ts";
import { usageIn } from "../usage.ts";

const MAX_ITEMS = 10_000;

/** Reads an answer event by event; one in one piece is the last event alone. */
export class ResponseReader {
  readonly #queue = new BlockQueue(0, RESPONSES);
  readonly #byIndex = new Map<number, ItemReader>();
  readonly #byId = new Map<string, ItemReader>();
  #items: ItemReader[] = [];
  #isStarted = false;
  #usage: Usage | undefined;
  isOver = false;

  read(event: JsonObject, type: string): ChatEvent[] {
    const error = errorInEvent(event, type);
    if (error !== undefined) throw asGatewayError(error);
    const response = objectOf(event["response"]);
    if (response !== undefined) return this.#readResponse(response, type);
    const started = EVENTS_OF_ITEMS.test(type) ? this.#start({}) : [];
    this.#readEvent(event, type);
    return [...started, ...this.#queue.take()];
  }

  /** The response at its end: what was not streamed of it, why it ended, and what it used. */
  end(response: JsonObject): ChatEvent[] {
    const error = errorIn(response);
    if (error !== undefined) throw asGatewayError(error);
    const { output, status } = response;
    if (status === "in_progress" || status === "queued" || (status ?? output) === undefined) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response ended before it was complete.",
      );
    }
    const events = this.#start(response);
    listOf(output).forEach((item, index) => {
      if (isObject(item)) this.#itemAt(index, item).end(item);
    });
    this.#queue.closeAll();
    this.isOver = true;

    const ownReason = reasonIn(response);
    const hasCalls = this.#items.some(({ isCall }) => isCall);
    const reason = parseFinish(response, hasCalls);
    const usage = usageIn(response) ?? this.#usage;
    const at = unixMs(Number(response["completed_at"]));
    const extra = reason === "other" ? extraOf(defined({ reason: ownReason })) : {};
    return [
      ...events,
      ...this.#queue.take(),
      {
        type: "finish",
        choice: 0,
        reason,
        ...(saysNoEnd(response) && { isUnstated: true }),
        ...defined({ at }),
        ...extra,
      },
      ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    ];
  }

  #readResponse(response: JsonObject, type: string): ChatEvent[] {
    this.#usage = usageIn(response) ?? this.#usage;
    if (type !== "response.completed" && type !== "response.incomplete") {
      return this.#start(response);
    }
    const status = type === "response.completed" ? "completed" : "incomplete";
    return this.end({ ...response, status });
  }

  #start(response: JsonObject): ChatEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [
      {
        type: "start",
        id: textOf(response["id"]) || `resp_${randomBase62(24)}`,
        model: textOf(response["model"]) ?? "",
        createdAt: unixMs(Number(response["created_at"])) ?? 0,
        ...extraOf(pick(response, ["service_tier"])),
      },
    ];
  }

  #readEvent(event: JsonObject, type: string): void {
    const part = integerOf(event["content_index"]) ?? integerOf(event["summary_index"]) ?? 0;
    const delta = textOf(event["delta"]) ?? "";
    switch (type) {
      case "response.output_item.added":
        this.#began(event, objectOf(event["item"]) ?? {});
        break;
      case "response.output_item.done": {
        const item = objectOf(event["item"]) ?? {};
        this.#ended(event, item).end(item);
        break;
      }
      case "response.output_text.delta":
        this.#said(event, "message").say("text", part, delta, event["logprobs"]);
        break;
      case "response.refusal.delta":
        this.#said(event, "message").say("refusal", part, delta);
        break;
      case "response.reasoning_summary_text.delta":
        this.#said(event, "reasoning").reason("summary", part, delta);
        break;
      case "response.reasoning_text.delta":
        this.#said(event, "reasoning").reason("raw", part, delta);
        break;
      case "response.output_text.done":
        this.#said(event, "message").endPart(part, { ...event, type: "output_text" });
        break;
      case "response.refusal.done":
        this.#said(event, "message").endPart(part, { ...event, type: "refusal" });
        break;
      case "response.content_part.done":
      case "response.reasoning_summary_part.done":
        this.#said(event, "message").endPart(part, objectOf(event["part"]) ?? {});
        break;
      case "response.output_text.annotation.added":
        this.#said(event, "message").cite(part, event["annotation"] ?? null);
        break;
      case "response.function_call_arguments.delta":
        this.#said(event, "function_call").call(delta);
        break;
      case "response.custom_tool_call_input.delta":
        this.#said(event, "custom_tool_call").call(delta);
        break;
      case "response.function_call_arguments.done":
        this.#said(event, "function_call").endCall(event["arguments"]);
        break;
      case "response.custom_tool_call_input.done":
        this.#said(event, "custom_tool_call").endCall(event["input"]);
        break;
      default:
        break;
    }
  }

  /** Events name their item by its id, by its place, or not at all; some servers' ids change. */
  #find(event: JsonObject, id: Json | undefined): ItemReader | undefined {
    const named = typeof id === "string" ? this.#byId.get(id) : undefined;
    if (named !== undefined) return named;
    const index = integerOf(event["output_index"]);
    if (index !== undefined) return this.#byIndex.get(index);
    const last = this.#items.at(-1);
    return typeof id === "string" || last?.isDone === true ? undefined : last;
  }

  /** Announced anew, an item is another one, unless it says that it is not. */
  #began(event: JsonObject, item: JsonObject): void {
    const known = this.#byId.get(textOf(item["id"]) ?? "");
    if (known === undefined || known.isDone) this.#add(integerOf(event["output_index"]), item);
    else known.begin(item);
  }

  #ended(event: JsonObject, item: JsonObject): ItemReader {
    const known = this.#find(event, item["id"]);
    return known ?? this.#add(integerOf(event["output_index"]), item);
  }

  /** Some servers never announce an item. */
  #said(event: JsonObject, type: string): ItemReader {
    const id = event["item_id"];
    const known = this.#find(event, id);
    if (known !== undefined) return known;
    return this.#add(integerOf(event["output_index"]), defined({ type, id: textOf(id) }));
  }

  /** In the finished response; its ids may have changed, its order has not. */
  #itemAt(index: number, item: JsonObject): ItemReader {
    const id = textOf(item["id"]);
    const named = id === undefined ? undefined : this.#byId.get(id);
    return named ?? this.#byIndex.get(index) ?? this.#add(index, item);
  }

  #add(index: number | undefined, item: JsonObject): ItemReader {
    if (this.#items.length >= MAX_ITEMS) {
      throw new GatewayError("upstream_failed", "The upstream's answer has too many items.");
    }
    const reader = new ItemReader(this.#queue, item);
    const id = textOf(item["id"]);
    this.#items.push(reader);
    if (index !== undefined) this.#byIndex.set(index, reader);
    if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, reader);
    return reader;
  }
}

/** Events that are part of the answer; others only say that something goes on. */
const EVENTS_OF_ITEMS = /^response\..+\.(added|delta|done)$/;

function extraOf(own: JsonObject): { extra?: Readonly<Record<string, JsonObject>> } {
  return Object.keys(own).length === 0 ? {} : { extra: { [RESPONSES]: own } };
}
