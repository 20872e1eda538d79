import { Buffer } from "node:buffer";
import type { GatewayError } from "#core/error.ts";
import type { RequestFacts, Tap, UpstreamError } from "#core/style.ts";
import { withSearches, type Usage } from "#core/usage.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { integerOf, listOf, memberOf } from "#lib/values.ts";
import { eventsIn, viewOf, withoutComments } from "#lib/sse-bytes.ts";
import { FirstContent } from "#styles/text/first-content.ts";
import { holdsContent } from "../content.ts";
import { encodeError } from "../error.ts";
import { blockIn, bodiesIn, errorIn } from "../failure.ts";
import { reasonIn } from "../finish.ts";
import { lastCountIn, lastEventStart, mentionsSearches, needsReading } from "./byte-scan.ts";
import { OutputText } from "./output-text.ts";
import { searchesIn, usageIn } from "../usage.ts";

export function openTap(facts: RequestFacts): Tap {
  return new GeminiTap(facts);
}

const EMPTY = Buffer.alloc(0);

/**
 * Only events with a mark on them are read. Each one counts the usage anew,
 * so only the last of those is kept, and read when somebody asks. What ends
 * the answer is held back until the upstream's bytes are at their end: it may
 * go on after a reason to end, and then it costs more. Comments are left out:
 * official clients of this style take them for broken JSON.
 */
class GeminiTap implements Tap {
  error: UpstreamError | undefined;
  /** Never by itself: the last event leaves with the stream's end. */
  readonly isEnding = false;
  readonly #choices: number;
  readonly #output = new OutputText();
  readonly #content = new FirstContent(holdsContent);
  readonly #seen = new Set<number>();
  readonly #finished = new Set<number>();
  #isBlocked = false;
  #held: Buffer = EMPTY;
  #counted: Buffer | undefined;
  #usage: Usage | undefined;
  #searches = 0;

  constructor({ choices }: RequestFacts) {
    this.#choices = choices;
  }

  push(events: Uint8Array): Uint8Array | undefined {
    if (this.error !== undefined) return undefined;
    const bytes = withoutComments(viewOf(events));
    this.#output.add(bytes);
    this.#content.look(bytes);
    this.#noteUsage(bytes);
    if (mentionsSearches(bytes)) this.#noteSearches(bytes);
    const sound = this.#choices > 1 || needsReading(bytes) ? this.#inspect(bytes) : bytes;
    return this.#withHeld(sound);
  }

  end(): Uint8Array | undefined {
    const held = this.#held;
    this.#held = EMPTY;
    return held.length > 0 ? held : undefined;
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  get usage(): Usage | undefined {
    if (this.#counted !== undefined) this.#usage = usageOfEvent(this.#counted) ?? this.#usage;
    this.#counted = undefined;
    return this.#usage && withSearches(this.#usage, this.#searches);
  }

  get hasContent(): boolean {
    return this.#content.isFound;
  }

  isComplete(): boolean {
    if (this.error !== undefined) return false;
    const areAll = [...this.#seen].every((index) => this.#finished.has(index));
    return this.#isBlocked || (this.#finished.size > 0 && areAll);
  }

  takeOutputText(): string {
    return this.#output.take();
  }

  #noteUsage(bytes: Buffer): void {
    const event = lastCountIn(bytes);
    // A copy: the bytes are the network's.
    if (event !== undefined) this.#counted = Buffer.from(event);
  }

  #noteSearches(bytes: Buffer): void {
    for (const event of eventsIn(bytes)) {
      if (!mentionsSearches(event)) continue;
      for (const body of bodiesOf(event))
        this.#searches = Math.max(this.#searches, searchesIn(body));
    }
  }

  /** What comes before a failure, or all of it. */
  #inspect(bytes: Buffer): Buffer {
    let soundBytes = 0;
    for (const event of eventsIn(bytes)) {
      if (this.#choices > 1 || needsReading(event)) this.#read(event);
      if (this.error !== undefined) return bytes.subarray(0, soundBytes);
      soundBytes += event.length;
    }
    return bytes;
  }

  #read(event: Buffer): void {
    for (const body of bodiesOf(event)) {
      this.error ??= errorIn(body);
      if (blockIn(body) !== undefined) this.#isBlocked = true;
      for (const candidate of listOf(body["candidates"])) {
        const index = integerOf(memberOf(candidate, "index")) ?? 0;
        this.#seen.add(index);
        if (reasonIn(memberOf(candidate, "finishReason")) !== undefined) this.#finished.add(index);
      }
    }
  }

  #withHeld(bytes: Buffer): Uint8Array | undefined {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = EMPTY;
    if (!this.isComplete()) return all.length > 0 ? all : undefined;
    const start = lastEventStart(all);
    this.#held = Buffer.from(all.subarray(start));
    return start > 0 ? all.subarray(0, start) : undefined;
  }
}

function bodiesOf(event: Buffer): readonly JsonObject[] {
  const json = parseJson(readEvents(event.toString())[0]?.data ?? "");
  return json === undefined ? [] : bodiesIn(json).filter(isObject);
}

function usageOfEvent(event: Buffer): Usage | undefined {
  return bodiesOf(event)
    .map(usageIn)
    .findLast((usage) => usage !== undefined);
}
