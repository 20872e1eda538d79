import { Buffer } from "node:buffer";
import type { GatewayError } from "#core/error.ts";
import type { RequestFacts, Tap, UpstreamError } from "#core/style.ts";
import type { Usage } from "#core/usage.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { objectOf, textOf } from "#lib/values.ts";
import { mentionsError } from "#styles/text/chat/marks.ts";
import { eventsIn, viewOf } from "#lib/sse-bytes.ts";
import { FirstContent } from "#styles/text/first-content.ts";
import { holdsContent } from "./content.ts";
import { buildFailure } from "./error.ts";
import { errorInEvent } from "./failure.ts";
import { buildHead } from "./head.ts";
import { lastNumber, mentionsCallDelta, mentionsResponse } from "./marks.ts";
import { callsIn, openOutputText, outputTextIn } from "./output-text.ts";
import { CallRepair } from "./repair-stream.ts";
import { usageIn } from "./usage.ts";

export function openTap(facts: RequestFacts): Tap {
  return new ResponsesTap(facts);
}

/**
 * Only the events at both ends of a response are read, and those with a mark
 * of failure. What comes after the end is passed on unread.
 */
class ResponsesTap implements Tap {
  usage: Usage | undefined;
  error: UpstreamError | undefined;
  isEnding = false;
  readonly #facts: RequestFacts;
  readonly #output = openOutputText();
  readonly #content = new FirstContent(holdsContent);
  readonly #repair = new CallRepair();
  #hasDeltas = false;
  #hasCallDeltas = false;
  #isComplete = false;
  #nextNumber = 0;
  /** As it began, for saying how it failed. */
  #response: JsonObject | undefined;

  constructor(facts: RequestFacts) {
    this.#facts = facts;
  }

  push(events: Uint8Array): Uint8Array | undefined {
    if (this.error !== undefined) return undefined;
    this.isEnding = false;
    if (this.#isComplete) return events;
    const bytes = this.#repair.push(viewOf(events));
    this.#content.look(bytes);
    if (this.#output.addDeltas(bytes)) this.#hasDeltas = true;
    this.#hasCallDeltas ||= mentionsCallDelta(bytes);
    return isMarked(bytes) ? this.#inspect(bytes) : this.#pass(bytes);
  }

  /** The last event of this style is its end: no mark is owed. */
  end(): Uint8Array | undefined {
    return undefined;
  }

  fail(error: GatewayError): string {
    const type = "response.failed";
    const response = {
      ...(this.#response ?? this.#unbegun()),
      status: "failed",
      error: buildFailure(error),
    };
    const event = { type, sequence_number: this.#nextNumber, response };
    return formatSse(JSON.stringify(event), type);
  }

  get hasContent(): boolean {
    return this.#content.isFound;
  }

  isComplete(): boolean {
    return this.#isComplete && this.error === undefined;
  }

  takeOutputText(): string {
    return this.#output.take();
  }

  /** Event by event: what an upstream sends of its failure stays out of the caller's stream. */
  #inspect(bytes: Buffer): Uint8Array | undefined {
    const kept: Uint8Array[] = [];
    for (const event of eventsIn(bytes)) {
      if (!this.#isComplete && isMarked(event)) this.#inspectEvent(event);
      if (this.error !== undefined) break;
      kept.push(this.#pass(event));
    }
    const [first] = kept;
    return kept.length > 1 ? Buffer.concat(kept) : first;
  }

  #inspectEvent(bytes: Buffer): void {
    const event = readEvents(bytes.toString())[0];
    const json = parseJson(event?.data ?? "");
    if (!isObject(json)) return;
    const type = textOf(json["type"]) ?? event?.event ?? "";
    this.error = errorInEvent(json, type);
    const response = objectOf(json["response"]);
    if (this.error !== undefined || response === undefined) return;
    this.usage = usageIn(response) ?? this.usage;
    if (type === "response.created") this.#response = response;
    if (type !== "response.completed" && type !== "response.incomplete") return;
    this.#output.say(
      this.#hasDeltas ? callsIn(response, !this.#hasCallDeltas) : outputTextIn(response),
    );
    this.#isComplete = true;
    this.isEnding = true;
  }

  #pass(bytes: Buffer): Uint8Array {
    const number = lastNumber(bytes);
    if (number !== undefined && number >= this.#nextNumber) this.#nextNumber = number + 1;
    return bytes;
  }

  #unbegun(): JsonObject {
    const { model } = this.#facts;
    return buildHead(undefined, { model, messages: [], stream: true, sampling: {} });
  }
}

function isMarked(bytes: Buffer): boolean {
  return mentionsResponse(bytes) || mentionsError(bytes);
}
