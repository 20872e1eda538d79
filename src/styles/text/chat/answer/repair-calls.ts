import { Buffer } from "node:buffer";
import type { RequestFacts } from "#core/style.ts";
import { randomBase62 } from "#lib/ids.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { eventsIn } from "#lib/sse-bytes.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { integerOf, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { countFinishes, mentionsCalls, mentionsOddCalls } from "./byte-scan.ts";

type Facts = Pick<RequestFacts, "forcesTool">;

/**
 * A whole answer whose calls break the grammar of its own style: the members
 * to set. `undefined` for nearly all answers.
 */
export function repairAnswer(body: JsonObject, facts: Facts): JsonObject | undefined {
  const choices = listOf(body["choices"]);
  return choices.some(hasCalls) ? repairChoices(choices, facts) : undefined;
}

function hasCalls(choice: Json): boolean {
  return listOf(memberOf(memberOf(choice, "message"), "tool_calls")).length > 0;
}

function repairChoices(choices: readonly Json[], facts: Facts): JsonObject | undefined {
  const repaired = mapChanged(choices, (choice) => repairChoice(choice, facts));
  return repaired === choices ? undefined : { choices: repaired };
}

function repairChoice(choice: Json, facts: Facts): Json {
  const message = memberOf(choice, "message");
  const calls = listOf(memberOf(message, "tool_calls"));
  if (!isObject(choice) || !isObject(message) || calls.length === 0) return choice;
  const repaired = mapChanged(calls, (call) => withTextArguments(withId(call)));
  const reason = repairReason(choice["finish_reason"], facts);
  if (repaired === calls && reason === choice["finish_reason"]) return choice;
  return {
    ...choice,
    message: repaired === calls ? message : { ...message, tool_calls: repaired },
    finish_reason: reason ?? null,
  };
}

/** A function that the caller forced is no reason of its own to the style's first vendor, who says `stop`. */
function repairReason(reason: Json | undefined, { forcesTool }: Facts): Json | undefined {
  if (reason === "stop" && forcesTool === true) return reason;
  return reason === "stop" || (reason ?? "") === "" ? "tool_calls" : reason;
}

function withId(call: Json): Json {
  if (!isObject(call) || (textOf(call["id"]) ?? "") !== "") return call;
  return { ...call, id: newId() };
}

function withTextArguments(call: Json): Json {
  const called = objectOf(memberOf(call, "function"));
  const args = called?.["arguments"];
  if (!isObject(call) || (!isObject(args) && !isArray(args))) return call;
  return { ...call, function: { ...called, arguments: JSON.stringify(args) } };
}

function newId(): string {
  return `call_${randomBase62(24)}`;
}

/** One call of a stream, as far as it must be known to repair its fragments. */
interface Call {
  readonly index: number;
  /** Given here: the upstream gave none. */
  readonly isNamedHere: boolean;
}

/**
 * The same for a stream. Bytes without calls are not looked at, and events are
 * parsed only if they begin a call, end an answer that called, or hold
 * arguments that are no text.
 */
export class CallRepair {
  readonly #facts: Facts;
  /** By choice; undefined until there is a call. */
  #calls: Map<number, Call[]> | undefined;
  /** Some call has an id that the upstream did not give, and may give later. */
  #hasNamed = false;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  push(bytes: Buffer): Buffer {
    const isSilent = this.#calls === undefined || countFinishes(bytes) === 0;
    if (isSilent && !mentionsCalls(bytes)) return bytes;
    let isChanged = false;
    const events: Buffer[] = [];
    for (const event of eventsIn(bytes)) {
      const out = this.reads(event) ? this.#repair(event) : event;
      if (out !== event) isChanged = true;
      events.push(out);
    }
    return isChanged ? Buffer.concat(events) : bytes;
  }

  /** The end of an answer that called and gave no reason for its end. */
  get missingEnd(): Buffer | undefined {
    if (this.#calls === undefined) return undefined;
    const choices = [...this.#calls.keys()].map((index) => ({
      index,
      delta: {},
      finish_reason: "tool_calls",
    }));
    return Buffer.from(formatSse(JSON.stringify({ object: "chat.completion.chunk", choices })));
  }

  /** Whether this event is parsed; the answer is the same for each one that repeats it. */
  reads(event: Buffer): boolean {
    if (mentionsCalls(event)) {
      return this.#hasNamed || mentionsOddCalls(event) || countFinishes(event) > 0;
    }
    return this.#calls !== undefined && countFinishes(event) > 0;
  }

  /** Everything but the choices stays as it was said. */
  #repair(event: Buffer): Buffer {
    const text = event.toString();
    const data = readEvents(text)[0]?.data ?? "";
    const chunk = parseExactJson(data);
    if (!isObject(chunk)) return event;
    const choices = listOf(chunk["choices"]);
    const repaired = mapChanged(choices, (choice) => this.#repairChoice(choice));
    if (repaired === choices) return event;
    return Buffer.from(formatSse(JSON.stringify({ ...chunk, choices: repaired })));
  }

  #repairChoice(choice: Json): Json {
    if (!isObject(choice)) return choice;
    const at = integerOf(choice["index"]) ?? 0;
    const delta = objectOf(choice["delta"]);
    const fragments = listOf(delta?.["tool_calls"]);
    const repaired = mapChanged(fragments, (fragment) => this.#repairFragment(at, fragment));
    const { finish_reason: given } = choice;
    const isEnd = this.#calls?.has(at) === true && typeof given === "string" && given !== "";
    const reason = isEnd ? repairReason(given, this.#facts) : given;
    if (repaired === fragments && reason === given) return choice;
    return {
      ...choice,
      ...(repaired === fragments ? {} : { delta: { ...delta, tool_calls: repaired } }),
      ...(reason === given ? {} : { finish_reason: reason ?? null }),
    };
  }

  #repairFragment(choice: number, fragment: Json): Json {
    if (!isObject(fragment)) return fragment;
    this.#calls ??= new Map();
    const calls = this.#calls.get(choice) ?? [];
    this.#calls.set(choice, calls);
    const name = textOf(memberOf(fragment["function"] ?? fragment["custom"], "name")) ?? "";
    const index = integerOf(fragment["index"]);
    const known = index === undefined ? undefined : calls.find((call) => call.index === index);
    const isFirst = known === undefined && (name !== "" || calls.length === 0);
    const hasId = (textOf(fragment["id"]) ?? "") !== "";
    const call = isFirst
      ? { index: index ?? calls.length, isNamedHere: !hasId }
      : (known ?? calls.at(-1));
    if (isFirst && call !== undefined) calls.push(call);

    const repaired = withTextArguments(fragment);
    if (isFirst && !hasId) {
      this.#hasNamed = true;
      return withId(repaired);
    }
    return hasId && call?.isNamedHere === true ? withoutId(repaired) : repaired;
  }
}

/** Clients know the call by the id that it was given first. */
function withoutId(fragment: Json): Json {
  if (!isObject(fragment)) return fragment;
  const { id: _, ...rest } = fragment;
  return rest;
}

/** The list itself if nothing in it is changed. */
function mapChanged(list: readonly Json[], change: (one: Json) => Json): readonly Json[] {
  const changed = list.map(change);
  return changed.some((one, at) => one !== list[at]) ? changed : list;
}
