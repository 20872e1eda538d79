import type { Json, JsonObject } from "../json.ts";
import { ApiError, brokenRules, invalid } from "./error.ts";
import { newName } from "./ids.ts";
import { modelFor } from "./model-list.ts";
import type { Model } from "./models.ts";
import { readPage } from "./pages.ts";
import { readCachedPrompt, type Prompt } from "./prompt.ts";
import { countPrompt } from "./prompt-tokens.ts";
import { cachedContentMessage, readMessage } from "./proto/requests.ts";

/** Beginnings of prompts that callers have put by: https://ai.google.dev/api/caching */
export interface CachedContents {
  create(body: Json | undefined, version: string): JsonObject;
  list(query: URLSearchParams): JsonObject;
  get(name: string): JsonObject;
  /** Only its end can be changed. */
  update(name: string, body: Json | undefined): JsonObject;
  remove(name: string): JsonObject;
  /** The state that a request continues. */
  find(name: string, model: Model): CachedContent;
}

export interface CachedContent {
  readonly name: string;
  readonly model: Model;
  readonly displayName: string | undefined;
  readonly prompt: Prompt;
  readonly tokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
}

export function cachedContents(now: () => number): CachedContents {
  const kept = new Map<string, CachedContent>();

  function get(name: string): CachedContent {
    const found = kept.get(name);
    if (found !== undefined && found.expiresAt > now()) return found;
    kept.delete(name);
    throw new ApiError(403, "CachedContent not found (or permission denied)");
  }

  function keep(cache: CachedContent): JsonObject {
    kept.set(cache.name, cache);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return bodyOf(cache);
  }

  return {
    create(body, version) {
      const message = readMessage(cachedContentMessage, body);
      const { model: id = "", displayName } = message;
      if (!id.startsWith("models/"))
        throw brokenRules(ROOT, [{ path: "model", reason: "model is required" }]);
      const model = modelFor(id.slice("models/".length), "createCachedContent", version);
      const prompt = readCachedPrompt(message, model, ROOT);
      const tokens = countPrompt(prompt).total;
      if (tokens < MIN_TOKENS) {
        throw invalid(
          `Cached content is too small. total_token_count=${tokens}, min_total_token_count=${MIN_TOKENS}`,
        );
      }
      const createdAt = now();
      const expiresAt = readEnd(message, createdAt) ?? createdAt + USUAL_MS;
      const name = newName("cachedContents");
      return keep({
        name,
        model,
        displayName,
        prompt,
        tokens,
        createdAt,
        updatedAt: createdAt,
        expiresAt,
      });
    },

    list(query) {
      const alive = [...kept.values()].filter(({ expiresAt }) => expiresAt > now());
      const { items, ...next } = readPage(alive, ({ name }) => name, query);
      return { ...(items.length === 0 ? {} : { cachedContents: items.map(bodyOf) }), ...next };
    },

    get: (name) => bodyOf(get(name)),

    update(name, body) {
      const before = get(name);
      const expiresAt = readEnd(readMessage(cachedContentMessage, body), now());
      return keep({ ...before, updatedAt: now(), expiresAt: expiresAt ?? before.expiresAt });
    },

    remove(name) {
      kept.delete(get(name).name);
      return {};
    },

    find(name, model) {
      const cache = get(name);
      if (cache.model.id === model.id) return cache;
      throw invalid(
        `Model used by GenerateContent request (models/${model.id}) and CachedContent (models/${cache.model.id}) has to be the same.`,
      );
    },
  };
}

const ROOT = "CreateCachedContentRequest.cached_content";
const MIN_TOKENS = 1_024;
const USUAL_MS = 3_600_000;
const MAX_KEPT = 1_000;

/** A duration in seconds, such as "300s", or a time. */
function readEnd(
  { ttl, expireTime }: { readonly ttl?: string; readonly expireTime?: string },
  from: number,
): number | undefined {
  if (ttl !== undefined && expireTime !== undefined)
    throw brokenRules(ROOT, [
      { path: "expiration", reason: "only one of ttl and expire_time can be set." },
    ]);
  const seconds = ttl?.match(/^(\d+(?:\.\d+)?)s$/)?.[1];
  const end = seconds === undefined ? Date.parse(expireTime ?? "") : from + Number(seconds) * 1_000;
  if (ttl === undefined && expireTime === undefined) return undefined;
  if (Number.isFinite(end) && end > from) return end;
  throw invalid(
    `Invalid value at 'cached_content.ttl' (type.googleapis.com/google.protobuf.Duration), ${JSON.stringify(ttl ?? expireTime)}`,
  );
}

function bodyOf(cache: CachedContent): JsonObject {
  const time = (at: number) => new Date(at).toISOString();
  return {
    name: cache.name,
    model: `models/${cache.model.id}`,
    createTime: time(cache.createdAt),
    updateTime: time(cache.updatedAt),
    expireTime: time(cache.expiresAt),
    displayName: cache.displayName ?? "",
    usageMetadata: { totalTokenCount: cache.tokens },
  };
}
