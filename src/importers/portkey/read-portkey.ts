import { memberProblem } from "#config/documents/overrides.ts";
import type { ImportDocument } from "#core/import.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { ImportDraft } from "../draft.ts";
import { freshName, toObjectName } from "../names.ts";

/** Providers here by Portkey's names. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: "openai",
  "azure-openai": "azure-openai",
  anthropic: "anthropic",
  google: "gemini",
  "vertex-ai": "vertex",
  bedrock: "bedrock",
  "mistral-ai": "mistral",
  cohere: "cohere",
  groq: "groq",
  deepseek: "deepseek",
  "together-ai": "together",
  "fireworks-ai": "fireworks",
  openrouter: "openrouter",
  "x-ai": "xai",
  huggingface: "huggingface",
  ollama: "ollama",
  moonshot: "moonshot",
  zhipu: "zhipu",
  jina: "jina",
  voyage: "voyage",
  siliconflow: "siliconflow",
  dashscope: "dashscope",
};
const LEAST_WEIGHT = 0.001;
const MOST_PRIORITY = 1_000;

interface Target {
  readonly target: JsonObject;
  /** Lower is tried first. */
  readonly priority: number;
  readonly weight: number;
  readonly path: string;
}

/**
 * Reads configs of Portkey: one, a list, or the answer of `GET /v1/configs` with the lists of virtual
 * keys and API keys. A config becomes a model with its slug as name, on one channel for each target.
 */
export function readPortkey(given: Json, source = "portkey"): ImportDocument {
  const draft = new ImportDraft(source);
  const root = objectOf(given) ?? {};
  const listed = isArray(given) ? given : listOf(root["data"]);
  const configs = listed.length > 0 ? listed : [given];
  const virtual = new Map(
    listOf(root["virtual_keys"]).flatMap((each) => {
      const key = objectOf(each);
      const slug = textOf(key?.["slug"]);
      return key === undefined || slug === undefined ? [] : [[slug, key] as const];
    }),
  );
  const reader = new ConfigReader(virtual, draft);
  for (const [index, each] of configs.entries()) {
    const item = objectOf(each) ?? {};
    const config = configIn(item["config"]) ?? item;
    reader.read(textOf(item["slug"]) ?? textOf(item["name"]) ?? `config-${index + 1}`, config);
  }
  leaveRest(root, virtual, draft);
  return draft.document;
}

/** A config is an object, or its JSON as text. */
function configIn(value: Json | undefined): JsonObject | undefined {
  if (typeof value !== "string") return objectOf(value);
  try {
    const parsed: Json = JSON.parse(value);
    return objectOf(parsed);
  } catch {
    return undefined;
  }
}

class ConfigReader {
  readonly #virtual: ReadonlyMap<string, JsonObject>;
  readonly #draft: ImportDraft;
  readonly #names = new Set<string>();

  constructor(virtual: ReadonlyMap<string, JsonObject>, draft: ImportDraft) {
    this.#virtual = virtual;
    this.#draft = draft;
  }

  read(slug: string, config: JsonObject): void {
    this.#noteConfig(slug, config);
    const targets = this.#targets(slug, config, { priority: 0, weight: 1, path: slug });
    for (const each of targets) this.#channel(slug, each, config);
  }

  #noteConfig(slug: string, config: JsonObject): void {
    const read = ["strategy", "targets", ...TARGET_FIELDS];
    const others = Object.keys(config).filter((name) => !read.includes(name));
    if (others.length > 0) {
      this.#draft.leave(
        `config ${slug}: ${others.join(", ")}`,
        "Retries and cooldowns are settings of Sluice; caches, guardrails and forwarded headers have no counterpart.",
      );
    }
  }

  /** The targets of a config in the order in which a call tries them. */
  #targets(
    slug: string,
    config: JsonObject,
    at: { readonly priority: number; readonly weight: number; readonly path: string },
  ): readonly Target[] {
    const targets = listOf(config["targets"]).filter(isObject);
    if (targets.length === 0) return [{ target: config, ...at }];
    const strategy = objectOf(config["strategy"]) ?? {};
    const mode = textOf(strategy["mode"]) ?? "single";
    const named = (target: JsonObject, index: number): string =>
      `${at.path}-${textOf(target["name"]) ?? index + 1}`;
    if (objectOf(strategy["sticky_session"]) !== undefined) {
      this.#draft.leave(
        `config ${slug}: sticky sessions`,
        "A call takes any channel by its weight; conversations with signed reasoning stay on theirs.",
      );
    }
    switch (mode) {
      case "fallback": {
        let { priority } = at;
        return targets.flatMap((target, index) => {
          const found = this.#targets(slug, target, {
            ...at,
            priority,
            path: named(target, index),
          });
          priority = Math.max(priority, ...found.map((each) => each.priority)) + 1;
          return found;
        });
      }
      case "loadbalance":
        return targets.flatMap((target, index) => {
          const weight = at.weight * (numberOf(target["weight"]) ?? 1);
          return this.#targets(slug, target, { ...at, weight, path: named(target, index) });
        });
      case "conditional": {
        const wanted = textOf(strategy["default"]);
        const chosen = targets.findIndex((target) => textOf(target["name"]) === wanted);
        const index = Math.max(chosen, 0);
        const [target] = targets.slice(index);
        this.#draft.leave(
          `config ${slug}: conditions for ${targets.length - 1} targets`,
          "Sluice does not route by metadata. Give each plan its own key with the models it may use. The default target is taken.",
        );
        return target === undefined
          ? []
          : this.#targets(slug, target, { ...at, path: named(target, index) });
      }
      default: {
        const [target] = targets;
        return target === undefined
          ? []
          : this.#targets(slug, target, { ...at, path: named(target, 0) });
      }
    }
  }

  #channel(slug: string, { target, priority, weight, path }: Target, config: JsonObject): void {
    const changes: string[] = [];
    const reached = this.#reach(target, changes);
    if (typeof reached === "string") {
      this.#draft.leave(`target ${path}`, reached);
      return;
    }
    const { upstream, fields, isComplete } = reached;
    const overrides = overridesOf(target, changes);
    const seconds = numberOf(target["request_timeout"]) ?? numberOf(config["request_timeout"]);
    this.#draft.channels.push({
      ref: path,
      name: freshName(toObjectName(path, "target"), this.#names),
      changes: [
        ...changes,
        `Clients ask for the model ${slug} instead of naming the config.`,
        ...(isComplete
          ? []
          : [
              "Portkey keeps its credential. The channel is disabled until you give it one and enable it.",
            ]),
      ],
      isEnabled: isComplete,
      fields: {
        ...fields,
        models: [slug === upstream ? slug : { name: slug, upstream }],
        ...(priority === 0 ? {} : { priority: Math.min(priority, MOST_PRIORITY) }),
        ...(weight === 1 ? {} : { weight: Math.max(Number(weight.toFixed(3)), LEAST_WEIGHT) }),
        ...(seconds === undefined ? {} : { timeout: { total: `${seconds}ms` } }),
        ...overrides,
      },
    });
  }

  /** Provider, address and credential of a target, or the reason why it has no channel. */
  #reach(target: JsonObject, changes: string[]): Reached | string {
    const slug = textOf(target["virtual_key"]);
    const virtual = slug === undefined ? undefined : this.#virtual.get(slug);
    const named = textOf(virtual?.["ai_provider_name"]) ?? textOf(target["provider"]);
    const params = objectOf(target["override_params"]) ?? {};
    const model = textOf(params["model"]);
    if (named === undefined || named.startsWith("@") || model?.startsWith("@") === true) {
      return `It names ${slug ?? named ?? model ?? "no provider"}, and the file does not say which vendor that is.`;
    }
    if (model === undefined)
      return "It names no model, and Portkey leaves the choice to the client.";
    const provider = PROVIDERS[named];
    const host = textOf(target["custom_host"]);
    if (provider === undefined && host === undefined) return `Sluice has no provider for ${named}.`;
    const { rpm, address, deployments } = readVirtual(virtual, changes);
    const key = textOf(target["api_key"]);
    const isOwn = host !== undefined;
    const base = host ?? address;
    const hasKey = key !== undefined && key !== "none";
    return {
      upstream: deployments.get(model) ?? model,
      isComplete: hasKey || (isOwn && slug === undefined),
      fields: {
        provider: isOwn && provider !== "anthropic" ? "openai-compatible" : (provider ?? ""),
        ...(base === undefined ? {} : { base_url: base }),
        ...(hasKey ? { api_keys: [key] } : {}),
        ...(rpm === undefined ? {} : { limits: { rpm } }),
      },
    };
  }
}

interface Reached {
  readonly upstream: string;
  readonly isComplete: boolean;
  readonly fields: JsonObject;
}

const TARGET_FIELDS = [
  "name",
  "provider",
  "virtual_key",
  "api_key",
  "custom_host",
  "override_params",
  "weight",
  "request_timeout",
];

/** Limits and deployments of a virtual key, which Portkey tells without its secret. */
function readVirtual(virtual: JsonObject | undefined, changes: string[]) {
  const rpm = listOf(virtual?.["rate_limits"])
    .map(objectOf)
    .find((each) => each?.["type"] === "requests" && each["unit"] === "rpm");
  const limit = objectOf(virtual?.["usage_limits"]);
  if (limit !== undefined) {
    changes.push(
      `Its limit of ${numberOf(limit["credit_limit"]) ?? 0} (${textOf(limit["type"]) ?? "cost"}, ${textOf(limit["periodic_reset"]) ?? "in all"}) is left out: channels have no budgets.`,
    );
  }
  const config = objectOf(virtual?.["model_config"]);
  const resource = textOf(config?.["resourceName"]);
  const deployments = listOf(config?.["deploymentConfig"]).flatMap((each) => {
    const given = objectOf(each);
    const [name, alias] = [textOf(given?.["deploymentName"]), textOf(given?.["aliasName"])];
    return name === undefined || alias === undefined ? [] : [[alias, name] as const];
  });
  return {
    rpm: numberOf(rpm?.["value"]),
    address: resource === undefined ? undefined : `https://${resource}.openai.azure.com/openai/v1`,
    deployments: new Map(deployments),
  };
}

function overridesOf(target: JsonObject, changes: string[]): JsonObject {
  const { model: _, ...params } = objectOf(target["override_params"]) ?? {};
  const set: Record<string, Json> = {};
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && memberProblem(name) === undefined) set[name] = value;
    else changes.push(`Its parameter ${name} is not set here: limits and charges depend on it.`);
  }
  return Object.keys(set).length === 0 ? {} : { body: { set } };
}

function leaveRest(
  root: JsonObject,
  virtual: ReadonlyMap<string, JsonObject>,
  draft: ImportDraft,
): void {
  const keys = listOf(root["api_keys"]).map((each) => textOf(objectOf(each)?.["name"]) ?? "");
  if (keys.length > 0) {
    draft.leave(
      `API keys ${keys.join(", ")}`,
      "Portkey tells only their last characters. Create keys here with the same budgets and limits.",
    );
  }
  if (virtual.size > 0) {
    draft.leave(
      `credentials of the virtual keys ${[...virtual.keys()].join(", ")}`,
      "Portkey does not give them away. Set them in the console, or with sluice channels edit.",
    );
  }
}
