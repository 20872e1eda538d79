import { Buffer } from "node:buffer";
import type { GatewayError } from "#core/error.ts";
import type {
  AnswerContext,
  OutboundContext,
  RequestFacts,
  Tap,
  UpstreamError,
} from "#core/style.ts";
import type { Usage } from "#core/usage.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { memberOf, objectOf, textOf } from "#lib/values.ts";
import { mentionsError } from "#styles/text/chat/answer/byte-scan.ts";
import { eventsIn, viewOf } from "#lib/sse-bytes.ts";
import { FirstContent } from "#styles/text/first-content.ts";
import { RepeatedEvents } from "#styles/text/repeated-events.ts";
import type { Slot } from "#lib/event-template.ts";
import { missingMembers } from "./complete-answer.ts";
import { holdsContent } from "../content.ts";
import { buildFailure } from "../error.ts";
import { errorInEvent } from "../failure.ts";
import { buildHead } from "./head.ts";
import { lastNumber, mentionsCallDelta, mentionsProgress, mentionsResponse } from "./byte-scan.ts";
import { callsIn, openOutputText, outputTextIn } from "./output-text.ts";
import { CallRepair } from "./repair-stream.ts";
import { usageIn } from "../usage.ts";

export function openTap(
  facts: RequestFacts,
  _dialect?: OutboundContext["dialect"],
  context?: AnswerContext,
): Tap {
  return new ResponsesTap(facts, context);
}

const SLOTS: readonly Slot[] = [
  { name: "delta", kind: "text" },
  { name: "obfuscation", kind: "string" },
  { name: "sequence_number", kind: "number" },
];

/**
 * Only the events at both ends of a response are read, and those with a mark
 * of failure. What comes after the end is passed on unread. If the response
 * object of the first event lacks members, they are added to each one.
 */
class ResponsesTap implements Tap {
  usage: Usage | undefined;
  error: UpstreamError | undefined;
  isEnding = false;
  readonly #facts: RequestFacts;
  readonly #context: AnswerContext | undefined;
  readonly #output = openOutputText();
  readonly #repeated = new RepeatedEvents(
    SLOTS,
    (event) => textOf(memberOf(event, "delta")) ?? "",
    this.#output,
  );
  readonly #content = new FirstContent(holdsContent);
  readonly #repair = new CallRepair();
  #hasDeltas = false;
  #hasCallDeltas = false;
  /** The upstream leaves members out of its response objects. */
  #completes = false;
  #isComplete = false;
  #nextNumber = 0;
  /** As it began, for saying how it failed. */
  #response: JsonObject | undefined;

  constructor(facts: RequestFacts, context: AnswerContext | undefined) {
    this.#facts = facts;
    this.#context = context;
  }

  push(events: Uint8Array): Uint8Array | undefined {
    if (this.error !== undefined) return undefined;
    this.isEnding = false;
    if (this.#isComplete) return events;
    const bytes = this.#repair.push(viewOf(events));
    this.#content.look(bytes);
    const hasDeltas = this.#output.addDeltas(bytes);
    this.#hasDeltas ||= hasDeltas;
    this.#hasCallDeltas ||= mentionsCallDelta(bytes);
    if (this.#isMarked(bytes)) return this.#inspect(bytes);
    if (hasDeltas && bytes === events && this.hasContent) this.#repeated.learn(bytes);
    return this.#pass(bytes);
  }

  passRepeated(events: Uint8Array): boolean {
    if (this.error !== undefined || this.#isComplete) return false;
    if (!this.#repeated.take(viewOf(events))) return false;
    this.isEnding = false;
    this.#note(this.#repeated.number);
    return true;
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
      const isRead = !this.#isComplete && this.#isMarked(event);
      const passed = (isRead ? this.#inspectEvent(event) : undefined) ?? event;
      if (this.error !== undefined) break;
      kept.push(this.#pass(passed));
    }
    const [first] = kept;
    return kept.length > 1 ? Buffer.concat(kept) : first;
  }

  /** The event as it is to be sent, if that is not how it came. */
  #inspectEvent(bytes: Buffer): Buffer | undefined {
    const event = readEvents(bytes.toString())[0];
    const json = parseJson(event?.data ?? "");
    if (!isObject(json)) return undefined;
    const type = textOf(json["type"]) ?? event?.event ?? "";
    this.error = errorInEvent(json, type);
    const response = objectOf(json["response"]);
    if (this.error !== undefined || response === undefined) return undefined;
    this.#readResponse(response, type);
    const missing = missingMembers(response, this.#context);
    if (missing === undefined) return undefined;
    this.#completes = true;
    const whole = { ...json, response: { ...response, ...missing } };
    if (this.#response === response) this.#response = whole.response;
    return Buffer.from(formatSse(JSON.stringify(whole), event?.event));
  }

  #readResponse(response: JsonObject, type: string): void {
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
    this.#note(lastNumber(bytes) ?? -1);
    return bytes;
  }

  #note(number: number): void {
    if (number >= this.#nextNumber) this.#nextNumber = number + 1;
  }

  #isMarked(bytes: Buffer): boolean {
    const isHead = this.#completes && mentionsProgress(bytes);
    return isHead || mentionsResponse(bytes) || mentionsError(bytes);
  }

  #unbegun(): JsonObject {
    const { model } = this.#facts;
    return buildHead(undefined, { model, messages: [], stream: true, sampling: {} });
  }
}
