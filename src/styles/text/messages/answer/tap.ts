import { Buffer } from "node:buffer";
import type { GatewayError } from "#core/error.ts";
import type { Tap, UpstreamError } from "#core/style.ts";
import type { Usage } from "#core/usage.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { integerOf, memberOf, textOf } from "#lib/values.ts";
import { eventsIn, viewOf } from "#lib/sse-bytes.ts";
import { BROKEN_OFF } from "#styles/no-answer.ts";
import { FirstContent } from "#styles/text/first-content.ts";
import { RepeatedEvents } from "#styles/text/repeated-events.ts";
import type { Slot } from "#lib/event-template.ts";
import { holdsContent } from "../content.ts";
import { encodeError } from "../error.ts";
import { errorIn } from "../failure.ts";
import { OutputText, textOfDelta } from "./output-text.ts";
import { CallRepair } from "./repair-stream.ts";
import { UsageReader } from "../usage.ts";

export function openTap(): Tap {
  return new MessagesTap();
}

const END = new TextEncoder().encode(
  formatSse(JSON.stringify({ type: "message_stop" }), "message_stop"),
);

/** In the event's line or in its data; a text that happens to say so is read in vain. */
const MESSAGE_EVENT = Buffer.from("message_");
const ERROR = Buffer.from('"error"');
const BLOCK_DELTA = Buffer.from("content_block_delta");
const SLOTS: readonly Slot[] = [
  { name: "text", kind: "text" },
  { name: "thinking", kind: "text" },
  { name: "partial_json", kind: "text" },
];

/**
 * Only the events around the answer are read, and those that tell of a
 * failure; nearly all do neither. What comes after the end is passed on unread.
 */
class MessagesTap implements Tap {
  error: UpstreamError | undefined;
  isEnding = false;
  readonly #usage = new UsageReader();
  readonly #output = new OutputText();
  readonly #repeated = new RepeatedEvents(
    SLOTS,
    (event) => textOfDelta(memberOf(event, "delta")),
    this.#output,
  );
  readonly #content = new FirstContent(holdsContent);
  readonly #repair = new CallRepair();
  #hasToldOutput = false;
  #hasReason = false;
  #isStopped = false;

  push(events: Uint8Array): Uint8Array | undefined {
    if (this.error !== undefined) return undefined;
    this.isEnding = false;
    if (this.#isStopped) return events;
    const bytes = this.#repair.push(viewOf(events));
    this.#output.add(bytes);
    this.#content.look(bytes);
    if (isMarked(bytes)) return this.#inspect(bytes);
    if (bytes === events && this.hasContent && bytes.includes(BLOCK_DELTA)) {
      this.#repeated.learn(bytes);
    }
    return bytes;
  }

  passRepeated(events: Uint8Array): boolean {
    if (this.error !== undefined || this.#isStopped) return false;
    if (!this.#repeated.take(viewOf(events))) return false;
    this.isEnding = false;
    return true;
  }

  /** Clients wait for the last event, and some servers leave it out. */
  end(): Uint8Array | undefined {
    return this.isComplete() && !this.#isStopped ? END : undefined;
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  get usage(): Usage | undefined {
    const isCounted = this.#hasToldOutput || (this.isComplete() && !this.#repair.hasUncountedEnd);
    return isCounted ? this.#usage.usage : undefined;
  }

  /** What the first event tells of the answer is its first token. */
  get inputUsage(): Usage | undefined {
    return this.#usage.usage;
  }

  get hasContent(): boolean {
    return this.#content.isFound;
  }

  /**
   * A reason to end ends an answer. The last event does so alone if the
   * output was counted: some servers count it to its end, and give no reason.
   */
  isComplete(): boolean {
    if (this.error !== undefined) return false;
    return this.#hasReason || (this.#isStopped && this.#hasToldOutput && this.hasContent);
  }

  takeOutputText(): string {
    return this.#output.take();
  }

  /** What came before a failure goes on. */
  #inspect(bytes: Buffer): Uint8Array | undefined {
    let end = 0;
    for (const event of eventsIn(bytes)) {
      if (!this.#isStopped && isMarked(event)) this.#inspectEvent(event);
      if (this.error !== undefined) return end === 0 ? undefined : bytes.subarray(0, end);
      end += event.length;
    }
    return bytes;
  }

  /** One that cannot be read is for the caller to judge. */
  #inspectEvent(event: Buffer): void {
    const [read] = readEvents(event.toString());
    const json = parseJson(read?.data ?? "");
    if (!isObject(json)) return;
    const type = textOf(json["type"]) ?? read?.event;
    if (type === "message_start") this.#usage.add(memberOf(json["message"], "usage"));
    else if (type === "message_delta") this.#readDelta(json);
    else if (type === "message_stop") {
      this.#isStopped = true;
      this.isEnding = this.isComplete();
      // It would pass for the answer's end.
      if (!this.isEnding) this.error = BROKEN_OFF;
    } else if (!isOfBlock(type)) this.error = errorIn(json);
  }

  #readDelta(json: JsonObject): void {
    if (typeof memberOf(json["delta"], "stop_reason") === "string") this.#hasReason = true;
    if (this.#repair.hasUncountedEnd) return;
    this.#usage.add(json["usage"]);
    if (integerOf(memberOf(json["usage"], "output_tokens")) !== undefined) {
      this.#hasToldOutput = true;
    }
  }
}

function isMarked(bytes: Buffer): boolean {
  return bytes.includes(MESSAGE_EVENT) || bytes.includes(ERROR);
}

/** What a tool reports may well hold the word. */
function isOfBlock(type: string | undefined): boolean {
  return type?.startsWith("content_block_") === true;
}
