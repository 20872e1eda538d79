import { countTokens } from "../engine/tokens.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import { field, readBoolean, readChoice, readObject, readText, required } from "./fields.ts";
import type { Model } from "./models.ts";
import { refuseUnknown } from "./unknown-parameters.ts";

/** How long a part of a prompt is kept at least. */
type CacheTtl = "30m" | "12h";

/** Options of the prompt cache, for a model with breakpoints. */
export interface PromptCaching {
  readonly mode: "implicit" | "explicit";
  readonly ttl: CacheTtl;
  /** The breakpoints, and how many tokens of the prompt stand before the end of each. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly ttl: CacheTtl;
  readonly tokens: number;
}

/** `undefined` for a model without breakpoints, which refuses to be told of any. */
export function readPromptCaching(
  body: JsonObject,
  model: Model,
  api: "chat" | "responses",
): PromptCaching | undefined {
  const options = readObject(field(body, "prompt_cache_options"));
  const { conversation, known } = APIS[api];
  if (model.hasBreakpoints !== true) {
    // Nobody has published what becomes of them on older models: refusing shows who sends them.
    if (options !== undefined) throw unsupported("prompt_cache_options");
    if (JSON.stringify(body[conversation] ?? "").includes('"prompt_cache_breakpoint":{'))
      throw unsupported("prompt_cache_breakpoint");
    return undefined;
  }
  const given = options ?? {};
  refuseUnknown(given, known, "prompt_cache_options");
  const at = (name: string) => field(given, name, `prompt_cache_options.${name}`);
  readBoolean(at("prewarm"));
  readText(at("comparison_response_id"));
  const ttl = readChoice(at("ttl"), api === "chat" ? ["30m"] : ["30m", "12h"]) ?? "30m";
  return {
    mode: readChoice(at("mode"), ["implicit", "explicit"]) ?? "implicit",
    ttl,
    marks: marksIn(body, conversation, ttl),
  };
}

const APIS = {
  chat: { conversation: "messages", known: ["mode", "ttl"] },
  responses: {
    conversation: "input",
    known: ["mode", "ttl", "prewarm", "comparison_response_id"],
  },
} as const;

function unsupported(name: string): Error {
  return invalid(
    name,
    "unsupported_parameter",
    `Unsupported parameter: '${name}' is not supported with this model.`,
  );
}

function marksIn(body: JsonObject, conversation: string, usual: CacheTtl): readonly Mark[] {
  const marks: Mark[] = [];
  const head = [body["tools"], body["instructions"]].filter((each) => (each ?? null) !== null);
  let tokens = countTokens(head.map((each) => JSON.stringify(each)).join("\n"));
  const visit = (value: Json | undefined, path: string): void => {
    if (isJsonArray(value)) value.forEach((each, index) => visit(each, `${path}[${index}]`));
    if (!isJsonObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (name === "prompt_cache_breakpoint") continue;
      if (typeof member === "string") tokens += countTokens(member);
      else visit(member, `${path}.${name}`);
    }
    const place = `${path}.prompt_cache_breakpoint`;
    const mark = readObject(field(value, "prompt_cache_breakpoint", place));
    if (mark === undefined) return;
    refuseUnknown(mark, ["mode", "ttl"], place);
    const mode = field(mark, "mode", `${place}.mode`);
    required(mode, readChoice(mode, ["explicit"]));
    const ttl = readChoice(field(mark, "ttl", `${place}.ttl`), ["30m", "12h"]) ?? usual;
    marks.push({ ttl, tokens });
  };
  visit(body[conversation], conversation);
  return marks;
}

/** Tokens of a prompt that are read from the cache, and that are written to it, by lifetime. */
export interface CacheUse {
  readonly cached: number;
  readonly written: Readonly<Record<CacheTtl, number>> | undefined;
}

/** The latest marks count: three beside the one at the prompt's end, or four. */
export function cacheUse(
  caching: PromptCaching | undefined,
  promptTokens: number,
  cachedTokens: number,
): CacheUse {
  if (caching === undefined) return { cached: cachedTokens, written: undefined };
  const { mode, ttl, marks } = caching;
  const counted =
    mode === "explicit" ? marks.slice(-4) : [...marks.slice(-3), { ttl, tokens: promptTokens }];
  const cached = counted.length === 0 ? 0 : cachedTokens;
  const written = { "30m": 0, "12h": 0 };
  let done = cached;
  for (const mark of counted) {
    const most = Math.min(mark.tokens, promptTokens);
    const tokens = most - (most % STEP_TOKENS);
    if (tokens < FIRST_TOKENS || tokens <= done) continue;
    written[mark.ttl] += tokens - done;
    done = tokens;
  }
  return { cached, written };
}

const FIRST_TOKENS = 1_024;
const STEP_TOKENS = 128;
