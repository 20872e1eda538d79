import { Buffer } from "node:buffer";
import type { GatewayError } from "#core/error.ts";
import type { OutboundContext, RequestFacts, Tap, UpstreamError } from "#core/style.ts";
import { withSearches, type Usage } from "#core/usage.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { BROKEN_OFF } from "#styles/no-answer.ts";
import { FirstContent } from "#styles/text/first-content.ts";
import { RepeatedEvents } from "#styles/text/repeated-events.ts";
import type { Slot } from "#lib/event-template.ts";
import { holdsContent } from "../content.ts";
import { sendsUsageUnasked } from "../request/dialect.ts";
import { ExecutedSearches, mentionsExecutedTools } from "./executed-tools.ts";
import { encodeError } from "../error.ts";
import {
  blankEmptyUsage,
  countFinishes,
  mentionsDone,
  mentionsError,
  mentionsUsage,
} from "./byte-scan.ts";
import { eventsIn, viewOf } from "#lib/sse-bytes.ts";
import { CallRepair } from "./repair-calls.ts";
import { OutputText, outputTextIn } from "./output-text.ts";
import { errorIn } from "../failure.ts";
import { usageIn } from "../usage.ts";
import { listOf } from "#lib/values.ts";

export function openTap(facts: RequestFacts, dialect?: OutboundContext["dialect"]): Tap {
  return new ChatTap(facts, sendsUsageUnasked(dialect));
}

const END = new TextEncoder().encode(formatSse("[DONE]"));
const EMPTY = Buffer.alloc(0);
const SLOTS: readonly Slot[] = [
  { name: "content", kind: "text" },
  { name: "reasoning_content", kind: "text" },
  { name: "reasoning", kind: "text" },
  { name: "arguments", kind: "text" },
  { name: "obfuscation", kind: "string" },
];

/** Only events with a mark on them are read; nearly all have none. What comes after the end mark is passed on unread. */
class ChatTap implements Tap {
  error: UpstreamError | undefined;
  isEnding = false;
  readonly #facts: RequestFacts;
  /** An event of usage is there because the gateway asked for it. */
  readonly #removesUsage: boolean;
  readonly #output = new OutputText();
  readonly #repeated = new RepeatedEvents(SLOTS, outputTextIn, this.#output);
  readonly #content = new FirstContent(holdsContent);
  readonly #repair: CallRepair;
  readonly #searches = new ExecutedSearches();
  #usage: Usage | undefined;
  #finishes = 0;
  #isMarked = false;

  constructor(facts: RequestFacts, isUsageUnasked: boolean) {
    this.#facts = facts;
    this.#removesUsage = !facts.wantsUsage && !isUsageUnasked;
    this.#repair = new CallRepair(facts);
  }

  push(events: Uint8Array): Uint8Array | undefined {
    if (this.error !== undefined) return undefined;
    this.isEnding = false;
    if (this.#isMarked) return events;
    const bytes = viewOf(events);
    return mentionsDone(bytes) ? this.#readLast(bytes) : this.#read(bytes);
  }

  passRepeated(events: Uint8Array): boolean {
    const bytes = viewOf(events);
    if (this.error !== undefined || this.#isMarked || !this.#repeated.take(bytes)) return false;
    this.isEnding = false;
    if (!this.#facts.wantsUsage) blankEmptyUsage(bytes);
    return true;
  }

  /** Many clients wait for the end mark, and several servers leave it out. */
  end(): Uint8Array | undefined {
    return this.isComplete() && !this.#isMarked ? END : undefined;
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  get usage(): Usage | undefined {
    return this.#usage && withSearches(this.#usage, this.#searches.count);
  }

  get hasContent(): boolean {
    return this.#content.isFound;
  }

  /**
   * A reason to end ends an answer. The end mark does so alone if it comes
   * with usage: some servers count an answer to its end, and give no reason.
   */
  isComplete(): boolean {
    if (this.error !== undefined) return false;
    if (this.#finishes >= this.#facts.choices) return true;
    return this.#isMarked && this.#usage !== undefined && this.hasContent;
  }

  takeOutputText(): string {
    return this.#output.take();
  }

  #read(given: Buffer): Uint8Array | undefined {
    const bytes = this.#repair.push(given);
    this.#output.add(bytes);
    this.#content.look(bytes);
    const finishes = countFinishes(bytes);
    this.#finishes += finishes;
    const tellsOfTools = mentionsExecutedTools(bytes);
    if (tellsOfTools) this.#noteTools(bytes);
    const isInspected = mentionsUsage(bytes) || mentionsError(bytes);
    if (finishes > 0 || tellsOfTools || isInspected || this.#repair.reads(given)) {
      this.#repeated.forget();
    } else if (this.hasContent) this.#repeated.learn(bytes);
    if (!this.#facts.wantsUsage) blankEmptyUsage(bytes);
    return isInspected ? this.#inspect(bytes) : bytes;
  }

  /** The end mark of an answer that broke off is held back: it would pass for the answer's end. */
  #readLast(bytes: Buffer): Uint8Array | undefined {
    let start = 0;
    for (const event of eventsIn(bytes)) {
      if (mentionsDone(event)) break;
      start += event.length;
    }
    const before = bytes.subarray(0, start);
    const sound = start === 0 ? before : this.#read(before);
    if (this.error !== undefined) return sound;
    this.#isMarked = true;
    this.isEnding = this.isComplete();
    if (!this.isEnding) {
      this.error = BROKEN_OFF;
      return start === 0 ? undefined : sound;
    }
    const missing = this.#finishes === 0 ? this.#repair.missingEnd : undefined;
    if (sound === before && missing === undefined) return bytes;
    return Buffer.concat([sound ?? EMPTY, missing ?? EMPTY, bytes.subarray(start)]);
  }

  #noteTools(bytes: Buffer): void {
    for (const event of eventsIn(bytes)) {
      if (!mentionsExecutedTools(event)) continue;
      const json = parseJson(readEvents(event.toString())[0]?.data ?? "");
      if (isObject(json)) this.#searches.note(json);
    }
  }

  /** Event by event, as few of them are touched. */
  #inspect(bytes: Buffer): Uint8Array | undefined {
    const kept: Uint8Array[] = [];
    for (const event of eventsIn(bytes)) {
      const isMarked = mentionsUsage(event) || mentionsError(event);
      const out = isMarked ? this.#inspectEvent(event) : event;
      if (this.error !== undefined) break;
      if (out !== undefined) kept.push(out);
    }
    const [first] = kept;
    return kept.length > 1 ? Buffer.concat(kept) : first;
  }

  /** What goes on in its place: an event that cannot be read is for the caller to judge. */
  #inspectEvent(event: Buffer): Uint8Array | undefined {
    const data = readEvents(event.toString())[0]?.data ?? "";
    const json = parseJson(data);
    if (json === undefined) return event;
    this.error = errorIn(json);
    if (this.error !== undefined || !isObject(json)) return event;

    this.#usage = usageIn(json) ?? this.#usage;
    // A vendor that is not asked may send it beside a choice, but in no event of its own.
    const isAlone = isObject(json["usage"]) && listOf(json["choices"]).length === 0;
    return this.#removesUsage && isAlone ? undefined : event;
  }
}
