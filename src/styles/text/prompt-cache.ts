import type { Block, ChatRequest, Extra, Message } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, restOf } from "#lib/values.ts";

/** How long what a mark ends is kept at least; the vendors' own figures differ. */
export type Life = "short" | "long";

/** A part's own member at vendors of the chat and responses styles. */
const BREAKPOINT = "prompt_cache_breakpoint";
const OPTIONS = "prompt_cache_options";
const LIVES: Readonly<Record<Life, string>> = { short: "30m", long: "12h" };

export function readBreakpoint(part: JsonObject): Life | undefined {
  const mark = part[BREAKPOINT];
  if (!isObject(mark)) return undefined;
  return mark["ttl"] === LIVES.long ? "long" : "short";
}

/** What of the request's prompt is cached, for an upstream that takes breakpoints. */
export interface BreakpointPlan {
  /** The blocks that end a cached beginning of the prompt. */
  readonly marks: ReadonlyMap<Block, Life>;
  /** Members of the request. */
  readonly members: JsonObject;
  /** What is left of the request's own, after what is carried here. */
  readonly extra: Extra | undefined;
}

/**
 * Besides the breakpoint that the vendor sets at the prompt's end it writes the
 * latest three, and four if it sets none. Of more, the first stays, which ends
 * what changes least. Callers of the messages style mark all that they want
 * cached, so that for them the vendor sets none.
 */
export function planBreakpoints(
  request: ChatRequest,
  { model, dialect, report }: OutboundContext,
  carries: (message: Message, block: Block) => boolean,
): BreakpointPlan {
  const takes = model.rules?.cacheBreakpoints === true && dialect?.["cacheBreakpoints"] === true;
  if (!takes) return { marks: NO_MARKS, members: {}, extra: request.extra };

  const { caching, extra } = takeCaching(request.extra);
  const marked = request.messages.flatMap((message) =>
    message.blocks.filter((block) => lifeOf(block) !== undefined && carries(message, block)),
  );
  const isOfMessages = request.rawFields?.[MESSAGES] !== undefined;
  const asked: Caching | undefined =
    caching ?? (isOfMessages && marked.length > 0 ? { mode: "explicit" } : undefined);
  const most = asked?.mode === "explicit" ? 4 : 3;
  const kept = marked.length <= most ? marked : [...marked.slice(0, 1), ...marked.slice(1 - most)];
  if (kept.length < marked.length) report.lose("cache_control");
  return {
    marks: new Map(kept.map((block) => [block, lifeOf(block) ?? "short"])),
    members: asked === undefined ? {} : { [OPTIONS]: buildOptions(asked) },
    extra,
  };
}

export function withBreakpoint(part: JsonObject, life: Life | undefined): JsonObject {
  if (life === undefined) return part;
  return { ...part, [BREAKPOINT]: { mode: "explicit", ttl: LIVES[life] } };
}

const NO_MARKS: ReadonlyMap<Block, Life> = new Map();

/** What a tool returned ends where its last marked part ends. */
export function lifeOf(block: Block): Life | undefined {
  if (block.cache !== undefined || block.type !== "tool_result") return block.cache;
  return block.blocks.findLast(({ cache }) => cache !== undefined)?.cache;
}

/** How a caller wants a prompt cached up to its end. */
export interface Caching {
  readonly mode: "implicit" | "explicit";
  readonly life?: Life;
}

const MESSAGES = "messages";
const CONTROL = "cache_control";

/** What the members of a request say of its cache, and the request's own without them. */
export function takeCaching(extra: Extra | undefined): {
  readonly caching: Caching | undefined;
  readonly extra: Extra | undefined;
} {
  let caching: Caching | undefined;
  const left = Object.entries(extra ?? {}).flatMap(([style, members]) => {
    const name = style === MESSAGES ? CONTROL : OPTIONS;
    const read = readCaching(name, members[name]);
    if (read === undefined) return [[style, members] as const];
    caching ??= read.caching;
    const rest = { ...restOf(members, new Set([name])), ...read.rest };
    return Object.keys(rest).length === 0 ? [] : [[style, rest] as const];
  });
  return { caching, extra: left.length === 0 ? undefined : Object.fromEntries(left) };
}

function readCaching(
  name: string,
  value: Json | undefined,
): { readonly caching: Caching; readonly rest: JsonObject } | undefined {
  if (!isObject(value)) return undefined;
  if (name === CONTROL) {
    const isLong = value["ttl"] === "1h" || value["type"] === "persistent";
    return { caching: { mode: "implicit", life: isLong ? "long" : "short" }, rest: {} };
  }
  const { mode, ttl } = value;
  const life = ttl === LIVES.long ? "long" : ttl === LIVES.short ? "short" : undefined;
  const rest = Object.entries(restOf(value, new Set(["mode", "ttl"])) ?? {});
  return {
    caching: { mode: mode === "explicit" ? "explicit" : "implicit", ...defined({ life }) },
    rest: Object.fromEntries(rest.map(([member, one]) => [`${name}.${member}`, one ?? null])),
  };
}

function buildOptions({ mode, life }: Caching): JsonObject {
  return { mode, ...(life === undefined ? {} : { ttl: LIVES[life] }) };
}
