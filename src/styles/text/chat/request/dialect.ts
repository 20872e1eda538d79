import type { LossReport } from "#core/lossy.ts";
import type { AnswerFormat } from "#core/model.ts";
import type { OutboundContext } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { isDefault } from "./defaults.ts";

/**
 * In which ways a vendor's reading of chat completions is its own. Declared by
 * the provider; the style decides everything that is not declared.
 */
export interface ChatDialect {
  /** Knows `system` only: `developer` is renamed. */
  readonly developerRole?: false;
  /** `false`: knows `max_tokens` only; `true`: wants the newer one, and refuses both together. */
  readonly maxCompletionTokens?: boolean;
  /** Refuses `stream_options`; it reports usage in every stream. */
  readonly streamOptions?: false;
  /** Its streams are compact, as `RequestFacts` has it. */
  readonly compactStreams?: true;
  /** Sends usage in every stream, in an event of its own, whether or not it is asked to. */
  readonly sendsUsageUnasked?: true;
  /** Members that make it refuse the request; they only tune, so they are left out and reported. */
  readonly refuses?: readonly string[];
  /** All members that it takes; a request with any other is refused. */
  readonly knows?: ReadonlySet<string>;
  /** Members of a message that make it refuse the request. */
  readonly refusesInMessages?: readonly string[];
  /** Roles that may have a `name` in their messages, if not all. */
  readonly namedRoles?: readonly string[];
  /** Answer formats that it enforces, if not all; the others are asked for in words. */
  readonly formats?: readonly AnswerFormat[];
  /** Refuses `json_object` unless some message says "json". */
  readonly jsonHint?: true;
  /** All values of `service_tier` that it takes. */
  readonly serviceTiers?: readonly string[];
  /** All types of a user's content parts that it takes. */
  readonly parts?: readonly string[];
  /** How many stop sequences it takes. The gateway searches the answer for the others. */
  readonly maxStops?: number;
  /** How many answers to one request it gives. */
  readonly maxChoices?: number;
  /** How its models are told to reason. If absent, requests that we write name an effort. */
  readonly reasoning?: ReasoningTerms;
  /** Takes breakpoints of the prompt cache, for models that have them. */
  readonly cacheBreakpoints?: true;
  /** Members that its reasoning models refuse, unless they are told not to reason. */
  readonly reasonersRefuse?: readonly string[];
  /** Cannot be made to call a tool while it reasons. */
  readonly forcedToolsWhileReasoning?: false;
  /** Refuses to enforce an answer format while its models reason. */
  readonly formatsWhileReasoning?: false;
  /** The name of `seed`, if it is another; `any`: the server may know either name. */
  readonly seed?: "random_seed" | "any";
  /** Refuses `strict` in the definition of a tool. */
  readonly strictTools?: false;

  /**
   * How it is asked to search the web, and which models can. `false`: it cannot be asked, so the
   * wish is left out and reported. If absent, requests that we write do not ask.
   */
  readonly webSearch?: false | { readonly as: "options" | "switch"; readonly models?: RegExp };

  // What follows is for requests that we write, not for those that pass through.

  /** Calls one tool at a time unless it is told otherwise; other styles' callers expect several. */
  readonly callsInParallel?: false;
  /** Refuses a message of a user directly after results of tools. */
  readonly usersAfterTools?: false;
  /** Wants earlier reasoning back: as `reasoning_content`, or its own proofs as `reasoning_details`. */
  readonly reasoningBack?: "text" | "details";
  /** What to send beside it if the vendor otherwise drops the reasoning of earlier turns, and for which models. */
  readonly keepsReasoning?: { readonly by: JsonObject; readonly models: RegExp };
  /** Its reasoning models take `verbosity`. */
  readonly verbosity?: true;
  /** Knows tools that take free text, and a choice among some of the tools. */
  readonly customTools?: true;
  readonly topK?: true;
  /**
   * How it is told to go on from a last message of the assistant: by a member of that message, or
   * it always does. If absent, it answers such a message, and the loss is reported.
   */
  readonly prefill?: "prefix" | "partial" | "always";
  /** Is told how a picture is to be, and takes back those that its models made. */
  readonly pictures?: true;
}

/**
 * `effort`: `reasoning_effort`. `switch`: `enable_thinking` and
 * `thinking_budget`, in streams only. `type`: `thinking.type`, and an effort
 * where the model has some. `object`: `reasoning` with all of these. `any`:
 * `reasoning_effort` or the members of `switch`, in streams and in whole answers.
 * `flag`: `reasoning.enabled` or `reasoning_effort`. `budget`: `reasoning_effort`,
 * or `thinking` with a number of tokens.
 */
export type ReasoningTerms = "effort" | "switch" | "type" | "object" | "any" | "flag" | "budget";

/** As the provider declared it, in the terms of the endpoint's style. */
export function dialectOf({ dialect }: Pick<OutboundContext, "dialect">): ChatDialect {
  return (dialect ?? {}) as ChatDialect;
}

/** The same for an answer that passes through. */
export function streamsCompactly(dialect: OutboundContext["dialect"]): boolean {
  return ((dialect ?? {}) as ChatDialect).compactStreams === true;
}

/** The same for an answer that passes through. */
export function sendsUsageUnasked(dialect: OutboundContext["dialect"]): boolean {
  return ((dialect ?? {}) as ChatDialect).sendsUsageUnasked === true;
}

/** What an endpoint of a vendor says of its dialect, for the bodies that we write and for those that pass through. */
export function inDialect(dialect: ChatDialect): {
  readonly dialect: Readonly<Record<string, unknown>>;
  adaptRequest(body: JsonObject, model: string, report?: LossReport): Readonly<Edits>;
} {
  return {
    dialect: { ...dialect },
    adaptRequest: (body, _model, report) => adaptToDialect(body, dialect, report),
  };
}

type Edits = Record<string, Json | undefined>;

/** Changes to an outgoing body so that a vendor of this dialect takes it. */
export function adaptToDialect(
  body: JsonObject,
  dialect: ChatDialect,
  report?: LossReport,
): Readonly<Edits> {
  const edits: Edits = {};
  const { max_tokens: limit, max_completion_tokens: newerLimit } = body;
  if (dialect.maxCompletionTokens === false && newerLimit !== undefined) {
    edits["max_completion_tokens"] = undefined;
    edits["max_tokens"] ??= limit ?? newerLimit;
  }
  if (dialect.maxCompletionTokens === true && isSet(limit) && isSet(newerLimit)) {
    edits["max_tokens"] = undefined;
  }
  if (dialect.streamOptions === false && body["stream_options"] !== undefined) {
    edits["stream_options"] = undefined;
  }
  for (const field of dialect.refuses ?? []) {
    const value = body[field];
    if (value === undefined) continue;
    edits[field] = undefined;
    if (!isDefault(field, value)) report?.lose(field);
  }
  const tools = dialect.strictTools === false ? withoutStrict(body["tools"], report) : undefined;
  if (tools !== undefined) edits["tools"] = tools;
  const messages = adaptMessages(body["messages"], dialect, report);
  if (messages !== undefined) edits["messages"] = messages;
  return edits;
}

/** `undefined` if no tool says whether it is strict. */
export function withoutStrict(
  tools: Json | undefined,
  report?: LossReport,
): readonly Json[] | undefined {
  if (!isArray(tools) || !tools.some((tool) => strictOf(tool) !== undefined)) return undefined;
  if (tools.some((tool) => strictOf(tool) === true)) report?.lose("tools.strict");
  return tools.map((tool) => {
    if (!isObject(tool) || !isObject(tool["function"])) return tool;
    const { strict: _, ...rest } = tool["function"];
    return { ...tool, function: rest };
  });
}

export function strictOf(tool: Json): Json | undefined {
  return memberOf(memberOf(tool, "function"), "strict");
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function isNameRefused({ role, name }: JsonObject, namedRoles: readonly string[]): boolean {
  return name !== undefined && !(typeof role === "string" && namedRoles.includes(role));
}

/** Reasoning has one name, however it is written. */
function lossOf(field: string): string {
  return field === "reasoning_content" ? "reasoning" : `messages.${field}`;
}

/** `undefined` where nothing changes, so that the caller's bytes can stay. */
function adaptMessages(
  messages: Json | undefined,
  dialect: ChatDialect,
  report: LossReport | undefined,
): Json | undefined {
  const { developerRole, refusesInMessages: refused = [], namedRoles } = dialect;
  const takesAll = developerRole !== false && refused.length === 0 && namedRoles === undefined;
  if (takesAll || !isArray(messages)) return undefined;
  let isChanged = false;
  const adapted = messages.map((message) => {
    if (!isObject(message)) return message;
    const renamed = developerRole === false && message["role"] === "developer";
    const dropped = refused.filter((field) => field in message);
    if (namedRoles !== undefined && isNameRefused(message, namedRoles)) dropped.push("name");
    if (!renamed && dropped.length === 0) return message;

    isChanged = true;
    for (const field of dropped) {
      if (!isDefault(field, message[field] ?? null)) report?.lose(lossOf(field));
    }
    const kept = Object.entries(message).filter(([key]) => !dropped.includes(key));
    return { ...Object.fromEntries(kept), ...(renamed ? { role: "system" } : {}) };
  });
  return isChanged ? adapted : undefined;
}
