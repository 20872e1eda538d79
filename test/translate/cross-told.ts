import type { ChatEvent, FinishReason } from "#core/chat.ts";
import { isArray, isObject, parseJson, type Json } from "#lib/json.ts";
import { saidIn, type SaidChoice } from "./chat-answers.ts";

/** What an answer tells, in no style's words: what all of them have a place for. */
export interface ReceivedAnswer {
  readonly choices: readonly ToldChoice[];
  readonly usage: ToldUsage | undefined;
}

export interface ToldChoice {
  readonly text: string;
  readonly refusal: string;
  readonly reasoning: string;
  readonly calls: readonly ToldCall[];
  /** Data of pictures, in base64. */
  readonly images: readonly string[];
  /** Addresses that are cited, each once, in the order of the alphabet. */
  readonly cited: readonly string[];
  readonly finish: FinishReason;
}

export interface ToldCall {
  readonly id: string;
  readonly name: string;
  readonly kind: "function" | "custom";
  /** What the arguments say; where they are no JSON, the text itself. */
  readonly args: Json;
}

/** Tokens: totals, and parts of them. */
export interface ToldUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

export function toldIn(events: readonly ChatEvent[]): ReceivedAnswer {
  const { choices, usage } = saidIn(events);
  return {
    choices: Object.entries(choices).map(([index, choice]) => ({
      text: choice.text + choice.transcript,
      refusal: choice.refusal,
      reasoning: choice.reasoning,
      calls: choice.calls.map(({ id, name, arguments: args }, at) => {
        const kind = kindsIn(events, Number(index))[at] ?? "function";
        return { id, name, kind, args: kind === "custom" ? args : asJson(args) };
      }),
      images: choice.images,
      cited: distinct(choice.citations),
      finish: finishOf(choice),
    })),
    usage:
      usage === undefined
        ? undefined
        : {
            input: usage.inputTokens,
            cached: usage.cachedInputTokens,
            output: usage.outputTokens,
            reasoning: usage.reasoningTokens,
          },
  };
}

function kindsIn(events: readonly ChatEvent[], choice: number): readonly ToldCall["kind"][] {
  return events.flatMap((event) =>
    event.type === "open" && event.choice === choice && event.block.type === "tool_call"
      ? [event.block.kind]
      : [],
  );
}

const FINISHES: readonly FinishReason[] = ["stop", "length", "tool_calls", "content_filter"];

function finishOf({ finish }: SaidChoice): FinishReason {
  return FINISHES.find((one) => one === finish) ?? "other";
}

export function asJson(args: string): Json {
  if (args.trim() === "") return {};
  const json = parseJson(args);
  return json === undefined ? args : json;
}

/** In a style whose arguments are objects, what is none stands in one. */
export function asObject(
  { kind, args }: Pick<ToldCall, "kind" | "args">,
  opensFreeText = false,
): Json {
  if (kind === "custom") {
    const opened = opensFreeText && typeof args === "string" ? parseJson(args) : undefined;
    return isObject(opened) ? opened : { input: args };
  }
  if (isObject(args)) return args;
  if (args === null) return {};
  return typeof args === "string" ? { _raw: args } : { value: args };
}

export function distinct(urls: readonly string[]): readonly string[] {
  return [...new Set(urls)].toSorted();
}

/** Members in one order, so that two readings can be compared. */
export function sorted(value: Json | undefined): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.toSorted().map((name) => [name, sorted(value[name])]));
}
