import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, objectOf, pick, textOf } from "#lib/values.ts";
import { isSaid, saysBeside } from "#styles/text/first-content.ts";
import { BlockReader } from "./block-reader.ts";
import { END_MEMBERS, readFinish } from "../finish.ts";
import { MESSAGES } from "../raw-fields.ts";
import { UsageReader } from "../usage.ts";

const LOST_THINKING = ["reasoning"];

/** Some or all of the thinking in the question was left out, for the reasons that stand there. */
function isTransformed({ input_transformations: changes }: JsonObject): boolean {
  return listOf(changes).some((each) => memberOf(each, "type") === "thinking_dropped");
}

/**
 * Puts an answer together, in one piece or event by event. Servers differ in
 * what they leave out, so little is required: blocks come one after the other,
 * and the end is said.
 */
export class AnswerReader {
  readonly #usage = new UsageReader();
  #end: Record<string, Json> = {};
  #block: BlockReader | undefined;
  #isStarted = false;
  #hasContent = false;
  #hasCalls = false;
  #hasToldOutput = false;

  /** Whether it was said why the answer ends. */
  get hasReason(): boolean {
    return typeof this.#end["stop_reason"] === "string";
  }

  /** An end mark is as good as a reason if the output was counted. With neither content nor a reason there is no answer. */
  get mayEnd(): boolean {
    return this.hasReason || (this.#hasContent && this.#hasToldOutput);
  }

  start(message: JsonObject): ChatEvent[] {
    this.#usage.add(message["usage"]);
    if (this.#isStarted) return [];
    this.#isStarted = true;
    const usage = objectOf(message["usage"]);
    return [
      {
        type: "start",
        id: textOf(message["id"]) || `msg_${randomBase62(24)}`,
        model: textOf(message["model"]) ?? "",
        createdAt: 0,
        ...defined({
          inputTokens: this.#usage.usage?.inputTokens,
          lost: isTransformed(message) ? LOST_THINKING : undefined,
          extra: usage === undefined ? undefined : { [MESSAGES]: { usage } },
        }),
      },
    ];
  }

  open(index: Json | undefined, block: JsonObject): ChatEvent[] {
    const events = [...this.#begun(), ...this.close()];
    this.#block = new BlockReader(index, block);
    this.#hasContent ||= block["type"] !== "text" || isSaid(block["text"]);
    if (this.#block.isCall) this.#hasCalls = true;
    return [...events, ...this.#block.open()];
  }

  /** Of a block that began without saying so, as some servers' text does. */
  delta(index: Json | undefined, delta: JsonObject): ChatEvent[] {
    this.#hasContent ||= saysBeside(delta, ["type"]);
    const begun = this.#block?.takes(index, delta) === true ? [] : this.#openFor(index, delta);
    return [...begun, ...(this.#block?.read(delta) ?? [])];
  }

  close(): ChatEvent[] {
    const block = this.#block;
    this.#block = undefined;
    return block?.close() ?? [];
  }

  /** What the end says; it may be said in parts. */
  update(end: JsonObject, usage: Json | undefined): void {
    this.#usage.add(usage);
    this.#hasToldOutput ||= integerOf(memberOf(usage, "output_tokens")) !== undefined;
    const told = pick(end, ["stop_reason", "stop_sequence", ...END_MEMBERS]);
    this.#end = { ...this.#end, ...told };
  }

  finish(): ChatEvent[] {
    const events = [...this.#begun(), ...this.close()];
    events.push(readFinish(this.#end, this.#hasCalls));
    const { usage, rest } = this.#usage;
    if (usage === undefined) return events;
    const extra = rest === undefined ? {} : { extra: { [MESSAGES]: rest } };
    return [...events, { type: "usage", usage, ...extra }];
  }

  #begun(): ChatEvent[] {
    return this.#isStarted ? [] : this.start({});
  }

  #openFor(index: Json | undefined, delta: JsonObject): ChatEvent[] {
    switch (delta["type"]) {
      case "text_delta":
      case "citations_delta":
        return this.open(index, { type: "text", text: "" });
      case "thinking_delta":
      case "signature_delta":
        return this.open(index, { type: "thinking", thinking: "" });
      case "input_json_delta":
        throw new GatewayError("upstream_failed", "The upstream's tool call has no tool name.");
      default:
        return [];
    }
  }
}
