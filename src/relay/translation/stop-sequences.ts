import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import { planReasoning } from "#core/reasoning.ts";
import type { OutboundStyle } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import type { Call } from "../call.ts";
import { fitRequest } from "./fit-request.ts";
import { requestContext } from "./passthrough.ts";
import type { Route, WireRoute } from "../routing/route.ts";

/** More than any vendor takes: the text of an answer is searched for each of them. */
const MAX_STOPS = 64;
/** In UTF-16 code units; as much of an answer may be held back. */
const MAX_STOP_LENGTH = 1_024;

/** What the hub and the styles report as lost if stop sequences are not sent. */
export const STOP_MEMBERS = ["stop", "stop_sequences", "generationConfig.stopSequences"];

/** Whether the gateway can search for all stop sequences of a request that its upstream does not take. */
export function canSearch({ stop = [] }: Pick<ChatRequest, "stop">): boolean {
  return stop.length <= MAX_STOPS && stop.every(({ length }) => length <= MAX_STOP_LENGTH);
}

/** The stop sequences of a request that the body for its upstream does not ask for. */
export function unaskedStops(
  { stop = [] }: Pick<ChatRequest, "stop">,
  body: JsonObject,
  { outbound }: OutboundStyle,
): readonly string[] {
  if (stop.length === 0) return [];
  const asked = outbound.stopsIn?.(body) ?? [];
  const isSearched = (one: string): boolean =>
    one !== "" && one.length <= MAX_STOP_LENGTH && !asked.includes(one);
  return [...new Set(stop)].filter(isSearched).slice(0, MAX_STOPS);
}

/**
 * Whether a body in its upstream's own style asks for stop sequences that the
 * model or its vendor does not take.
 */
export function losesStops(
  call: Pick<Call, "body" | "facts" | "header">,
  route: WireRoute,
): boolean {
  const { body, facts } = call;
  const { endpoint, upstreamModel } = route;
  const { stopsIn } = endpoint.style.outbound;
  if (stopsIn === undefined || facts.unknownValue !== undefined) return false;
  const asked = stopsIn(body.json);
  if (asked.length === 0) return false;
  const report = new LossReport();
  const fitted = { ...body.json, ...fitRequest(body.json, route, report) };
  const context = requestContext(route, call.header);
  const adapted = endpoint.adaptRequest?.(fitted, upstreamModel, report, context);
  return stopsIn({ ...fitted, ...adapted }).length < asked.length;
}

/**
 * Whether what an answer costs can be measured when it is cut. Reasoning that
 * is not shown can only be told by the upstream, at the end of its answer.
 */
export function isMeasurable(
  { reasoning }: Pick<ChatRequest, "reasoning">,
  { traits: { reasoningControls: controls } }: Pick<Route, "traits">,
): boolean {
  return controls === undefined || planReasoning(reasoning, controls)?.mode === "off";
}

/**
 * Ends each choice of an answer before the first stop sequence in its text.
 * Text that may be the beginning of one is held back until that is decided.
 * Reasoning and the arguments of tool calls are not searched.
 */
export class StopCutter {
  readonly #patterns: readonly Pattern[];
  readonly #expected: number;
  readonly #choices = new Map<number, ChoiceCutter>();

  /** `choices`: how many the answer has. */
  constructor(stops: readonly string[], choices = 1) {
    this.#patterns = stops.map(patternOf);
    this.#expected = choices;
  }

  take(event: ChatEvent): readonly ChatEvent[] {
    if (!("choice" in event)) return [event];
    let choice = this.#choices.get(event.choice);
    if (choice === undefined) {
      choice = new ChoiceCutter(event.choice, this.#patterns);
      this.#choices.set(event.choice, choice);
    }
    return choice.take(event);
  }

  /** Every choice is at its end, and some were cut: nothing that follows is for the caller. */
  get isDone(): boolean {
    const choices = [...this.#choices.values()];
    return (
      choices.length >= this.#expected &&
      choices.every(({ isOver }) => isOver) &&
      choices.some(({ isCut }) => isCut)
    );
  }
}

type ChoiceEvent = Extract<ChatEvent, { readonly choice: number }>;
type Delta = Extract<ChatEvent, { readonly type: "delta" }>;

class ChoiceCutter {
  isOver = false;
  isCut = false;
  readonly #choice: number;
  readonly #patterns: readonly Pattern[];
  /** How much of each pattern the text so far ends with. */
  #matched: number[];
  #isText = false;
  /** Its `open` has been handed over, its `close` has not. */
  #isOpen = false;
  /** From the first event on that waits for text to be decided. */
  readonly #held: ChoiceEvent[] = [];
  #heldText = 0;

  constructor(choice: number, patterns: readonly Pattern[]) {
    this.#choice = choice;
    this.#patterns = patterns;
    this.#matched = patterns.map(() => 0);
  }

  take(event: ChoiceEvent): readonly ChatEvent[] {
    if (this.isOver) return [];
    switch (event.type) {
      case "open":
        this.#isText = event.block.type === "text";
        // A text of which nothing is left has no block.
        return this.#isText ? this.#hold(event) : this.#passBy(event);
      case "delta":
        return this.#isText ? this.#search(event) : [event];
      case "finish":
        this.isOver = true;
        return this.#passBy(event);
      default:
        return this.#isText ? this.#hold(event) : this.#emit([event]);
    }
  }

  /** What comes between two texts, so that no stop sequence spans them. */
  #passBy(event: ChoiceEvent): readonly ChatEvent[] {
    this.#matched = this.#patterns.map(() => 0);
    this.#held.push(event);
    return this.#release(this.#heldText);
  }

  #hold(event: ChoiceEvent): readonly ChatEvent[] {
    this.#held.push(event);
    return event.type !== "open" && this.#heldText === 0 ? this.#release(0) : [];
  }

  #search(event: Delta): readonly ChatEvent[] {
    const before = this.#heldText;
    this.#held.push(event);
    this.#heldText += event.text.length;
    for (let at = 0; at < event.text.length; at++) {
      const found = this.#step(event.text.charCodeAt(at));
      if (found !== undefined) return this.#cut(before + at + 1 - found.length, found);
    }
    return this.#release(this.#heldText - Math.max(...this.#matched));
  }

  /** The longest pattern that ends with this code unit. */
  #step(unit: number): string | undefined {
    let found: string | undefined;
    for (const [index, { text, borders }] of this.#patterns.entries()) {
      let length = this.#matched[index] ?? 0;
      while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
      if (text.charCodeAt(length) === unit) length++;
      this.#matched[index] = length;
      if (length === text.length && length > (found?.length ?? 0)) found = text;
    }
    return found;
  }

  #cut(length: number, stopSequence: string): readonly ChatEvent[] {
    this.isOver = true;
    this.isCut = true;
    const choice = this.#choice;
    const told = length === 0 ? [] : this.#release(length);
    const closed: readonly ChatEvent[] = this.#isOpen ? [{ type: "close", choice }] : [];
    return [...told, ...closed, { type: "finish", choice, reason: "stop", stopSequence }];
  }

  /** Hands over so much of the text that is held, and what stands before its last code unit. */
  #release(length: number): readonly ChatEvent[] {
    const out: ChoiceEvent[] = [];
    let left = length;
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      const size = next.type === "delta" ? next.text.length : 0;
      if (left === 0 && this.#heldText > 0) break;
      if (size > left && next.type === "delta") {
        out.push({ type: "delta", choice: next.choice, text: next.text.slice(0, left) });
        this.#held[0] = { ...next, text: next.text.slice(left) };
        this.#heldText -= left;
        break;
      }
      this.#held.shift();
      this.#heldText -= size;
      left -= size;
      out.push(next);
    }
    return this.#emit(out);
  }

  #emit(events: readonly ChoiceEvent[]): readonly ChoiceEvent[] {
    for (const { type } of events) {
      if (type === "open") this.#isOpen = true;
      else if (type === "close") this.#isOpen = false;
    }
    return events;
  }
}

/** A stop sequence, and for each length of its beginning the longest one that this ends with. */
interface Pattern {
  readonly text: string;
  readonly borders: readonly number[];
}

/** Knuth, Morris, Pratt: however an answer is cut into pieces, each code unit is looked at once. */
function patternOf(text: string): Pattern {
  const borders = [0];
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[at] === text[length]) length++;
    borders.push(length);
  }
  return { text, borders };
}
