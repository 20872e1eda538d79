import { headerProblem, memberProblem } from "#config/documents/overrides.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { flagOf, listOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { writeRate, writeUnitPrice } from "../amounts.ts";
import type { ImportDraft } from "../draft.ts";
import { freshName, toObjectName } from "../names.ts";
import { resolveProvider, type LitellmProvider } from "./providers.ts";

/** An entry of `model_list`, or a row of the table of models, with opened parameters. */
export interface Deployment {
  readonly name: string;
  readonly params: JsonObject;
  readonly info: JsonObject;
  readonly isBlocked: boolean;
  /** Names of parameters that could not be read. */
  readonly unread: readonly string[];
}

interface RouterTerms {
  /** Other names of models: `gpt-4` for `gpt-4o`. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Values of `credential_list` by name. */
  readonly credentials: ReadonlyMap<string, JsonObject>;
  /** The content of a file with a credential. */
  readFile(path: string): string | undefined;
}

const PLAIN_ID = /^(?![0-9a-f]{32,}$)(?![0-9a-f]{8}-[0-9a-f]{4}-)[A-Za-z0-9][\w.-]{0,63}$/;
const LEAST_WEIGHT = 0.001;
const MODEL_NAME = /^[^\p{C}\p{Z}]{1,200}$/u;

/** Every deployment is a channel with one model, because each has its own limits and order. */
export function readDeployments(
  deployments: readonly Deployment[],
  terms: RouterTerms,
  draft: ImportDraft,
): void {
  const taken = new Set<string>();
  const refs = new Set<string>();
  const weighted = new Set(
    deployments.flatMap(({ name, params }) =>
      numberOf(params["weight"]) === undefined ? [] : [name],
    ),
  );
  for (const each of deployments) {
    const id = textOf(each.info["id"]);
    const ref = freshName(id ?? `${each.name} ${textOf(each.params["model"]) ?? ""}`, refs);
    const reader = new DeploymentReader(each, terms, weighted.has(each.name));
    const fields = reader.fields();
    if (typeof fields === "string") {
      draft.leave(`model ${each.name} (${textOf(each.params["model"]) ?? ref})`, fields);
      continue;
    }
    const name = id !== undefined && PLAIN_ID.test(id) ? id : toObjectName(each.name, "channel");
    draft.channels.push({
      ref,
      name: freshName(name, taken),
      changes: reader.changes,
      isEnabled: !each.isBlocked && !reader.isIncomplete,
      fields,
    });
  }
  readPrices(deployments, terms, draft);
}

class DeploymentReader {
  readonly changes: string[] = [];
  /** Its credential is missing. */
  isIncomplete = false;
  readonly #deployment: Deployment;
  readonly #params: JsonObject;
  readonly #terms: RouterTerms;
  readonly #isWeighted: boolean;

  constructor(deployment: Deployment, terms: RouterTerms, isWeighted: boolean) {
    const named = textOf(deployment.params["litellm_credential_name"]) ?? "";
    this.#deployment = deployment;
    this.#params = { ...terms.credentials.get(named), ...deployment.params };
    this.#terms = terms;
    this.#isWeighted = isWeighted;
    if (named !== "" && !terms.credentials.has(named)) {
      this.#lack(`The credential ${named} is not known`);
    }
  }

  /** The fields of its channel, or the reason to leave it out. */
  fields(): JsonObject | string {
    if (this.#deployment.unread.includes("model")) {
      return "Its parameters could not be read. Set LITELLM_SALT_KEY, or LITELLM_MASTER_KEY if there is no salt key.";
    }
    const model = this.#text("model") ?? "";
    const base = this.#text("api_base") ?? this.#text("base_url");
    const custom = this.#text("custom_llm_provider");
    const found = resolveProvider(model, custom, base !== undefined);
    if (found === undefined) return "Sluice has no provider for it.";
    if (!MODEL_NAME.test(this.#deployment.name)) return "Its name has spaces.";
    const reached = this.#reach(found, base);
    if (typeof reached === "string") return reached;
    const upstream = found.form === "bedrock" ? bedrockModel(found.model) : found.model;
    for (const name of this.#deployment.unread) {
      if (READ.has(name)) this.#lack(`The value of ${name} could not be read`);
      else this.changes.push(`The value of ${name} could not be read, and is left out.`);
    }
    return {
      ...reached,
      models: this.#names().map((name) => (name === upstream ? name : { name, upstream })),
      ...this.#order(),
      ...this.#timeouts(),
      ...this.#overrides(),
    };
  }

  #text(name: string): string | undefined {
    const text = textOf(this.#params[name])?.trim();
    return text === "" ? undefined : text;
  }

  /** Provider, address, credential and options. */
  #reach(found: LitellmProvider, base: string | undefined): JsonObject | string {
    switch (found.form) {
      case "azure":
        return this.#azure(found, base);
      case "bedrock":
        return this.#bedrock(found);
      case "vertex":
        return this.#vertex(found);
      default: {
        const provider = ownOrCompatible(found.provider, base);
        const address = base === undefined ? found.base : withPath(base, found.path);
        if (address === undefined && provider === "openai-compatible") {
          return "It has no address (api_base).";
        }
        return {
          provider,
          ...(address === undefined ? {} : { base_url: address }),
          ...this.#key(this.#text("api_key"), provider),
        };
      }
    }
  }

  #azure({ provider }: LitellmProvider, base: string | undefined): JsonObject | string {
    if (base === undefined) return "It has no address (api_base).";
    const version = this.#text("api_version");
    if (version !== undefined) {
      this.changes.push(`Azure's v1 API is used, which has no API version (${version} there).`);
    }
    const host = base.replace(/\/(?:openai(?:\/.*)?)?$/, "");
    return {
      provider,
      base_url: `${host}/openai/v1`,
      ...this.#key(this.#text("api_key"), provider),
    };
  }

  #bedrock({ provider }: LitellmProvider): JsonObject | string {
    const region = this.#text("aws_region_name");
    if (region === undefined) return "It has no region (aws_region_name).";
    const [access, secret] = [this.#text("aws_access_key_id"), this.#text("aws_secret_access_key")];
    const token = this.#text("aws_session_token");
    const pair = [access, secret, token].filter((each) => each !== undefined).join(":");
    const isPair = access !== undefined && secret !== undefined;
    if (!isPair) this.#lack("It uses the AWS login of its machine");
    return { provider, options: { region }, ...(isPair ? { api_keys: [pair] } : {}) };
  }

  #vertex({ provider }: LitellmProvider): JsonObject {
    const given = this.#params["vertex_credentials"];
    const named = isObject(given) ? JSON.stringify(given) : this.#text("vertex_credentials");
    const isPath = named !== undefined && !named.startsWith("{");
    const account = isPath ? (this.#terms.readFile(named)?.trim() ?? named) : named;
    const project = this.#text("vertex_project");
    const location = this.#text("vertex_location");
    const isAccount = account?.startsWith("{") === true;
    if (!isAccount) {
      this.#lack(
        account === undefined
          ? "It uses the Google login of its machine"
          : `Its credential is the file ${account}, which cannot be read here`,
      );
    }
    return {
      provider,
      ...(project === undefined
        ? {}
        : { options: { project, ...(location === undefined ? {} : { location }) } }),
      ...(isAccount && account !== undefined ? { api_keys: [account] } : {}),
    };
  }

  #key(key: string | undefined, provider: string): JsonObject {
    if (key !== undefined && !NO_KEY.test(key)) return { api_keys: [key] };
    if (!KEYLESS.has(provider) && !this.#deployment.unread.includes("api_key")) {
      this.#lack("It has no credential (api_key), or takes it from a variable");
    }
    return {};
  }

  #lack(what: string): void {
    this.isIncomplete = true;
    this.changes.push(
      `${what}. The channel is disabled until you give it a credential and enable it.`,
    );
  }

  /** Its name, and aliases of it. */
  #names(): readonly string[] {
    const { name } = this.#deployment;
    const others = [...this.#terms.aliases].flatMap(([alias, of]) => (of === name ? [alias] : []));
    return [name, ...others.filter((each) => MODEL_NAME.test(each))];
  }

  /** `order` and `weight` of the router, and the limits of the account. */
  #order(): JsonObject {
    const order = numberOf(this.#params["order"]) ?? 1;
    const weight = numberOf(this.#params["weight"]);
    const share = weight ?? (this.#isWeighted ? LEAST_WEIGHT : 1);
    const [rpm, tpm] = [numberOf(this.#params["rpm"]), numberOf(this.#params["tpm"])];
    const limits = {
      ...(isBound(rpm, 1_000_000) ? { rpm } : {}),
      ...(isBound(tpm, 100_000_000) ? { tpm } : {}),
    };
    const atOnce = numberOf(this.#params["max_parallel_requests"]);
    return {
      ...(order === 1
        ? {}
        : { priority: Math.min(Math.max(Math.round(order) - 1, -1_000), 1_000) }),
      ...(share === 1 ? {} : { weight: Math.min(Math.max(share, LEAST_WEIGHT), 1_000) }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
      ...(isBound(atOnce, 1_000_000) ? { max_concurrent: atOnce } : {}),
    };
  }

  #timeouts(): JsonObject {
    const seconds = (name: string): number | undefined => {
      const value = this.#params[name];
      const given = typeof value === "string" ? Number(value) : numberOf(value);
      return given !== undefined && given > 0 ? given : undefined;
    };
    const [total, first] = [seconds("timeout"), seconds("stream_timeout")];
    const timeout = {
      ...(first === undefined ? {} : { first_byte: `${Math.round(first * 1_000)}ms` }),
      ...(total === undefined ? {} : { total: `${Math.round(total * 1_000)}ms` }),
    };
    return Object.keys(timeout).length === 0 ? {} : { timeout };
  }

  /** Parameters of requests are defaults: the client's value comes first. */
  #overrides(): JsonObject {
    const defaults: Record<string, Json> = {};
    const headers: Record<string, string> = {};
    const organization = this.#text("organization");
    if (organization !== undefined) headers["openai-organization"] = organization;
    for (const [name, value] of Object.entries(objectOf(this.#params["extra_headers"]) ?? {})) {
      if (typeof value === "string" && headerProblem(name) === undefined) headers[name] = value;
      else this.changes.push(`The header ${name} is not set here.`);
    }
    for (const [name, value] of Object.entries(this.#params)) {
      if (READ.has(name) || isIdle(value)) continue;
      if (value !== undefined && REQUEST.has(name) && memberProblem(name) === undefined) {
        defaults[name] = value;
      } else this.changes.push(`Its parameter ${name} has no counterpart here.`);
    }
    return {
      ...(Object.keys(headers).length === 0 ? {} : { headers: { set: headers } }),
      ...(Object.keys(defaults).length === 0 ? {} : { body: { default: defaults } }),
    };
  }
}

const NO_KEY = /^(?:none|null|na|n\/a|dummy|fake|empty|no-key|not-needed)$/i;
const KEYLESS = new Set(["openai-compatible", "vllm", "ollama", "lm-studio", "tei"]);

const PRICES = new Set([
  "input_cost_per_token",
  "output_cost_per_token",
  "cache_read_input_token_cost",
  "cache_creation_input_token_cost",
  "input_cost_per_audio_token",
  "output_cost_per_audio_token",
  "output_cost_per_image",
  "input_cost_per_second",
  "output_cost_per_second",
  "input_cost_per_query",
]);

/** Parameters that are read here, or that concern LiteLLM alone. */
const READ = new Set([
  ...PRICES,
  "model",
  "api_key",
  "api_base",
  "base_url",
  "api_version",
  "custom_llm_provider",
  "litellm_credential_name",
  "organization",
  "aws_region_name",
  "aws_access_key_id",
  "aws_secret_access_key",
  "aws_session_token",
  "vertex_project",
  "vertex_location",
  "vertex_credentials",
  "order",
  "weight",
  "rpm",
  "tpm",
  "max_parallel_requests",
  "timeout",
  "stream_timeout",
  "extra_headers",
  "max_retries",
  "drop_params",
]);

const REQUEST = new Set([
  "temperature",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "stop",
  "reasoning_effort",
  "response_format",
  "user",
  "parallel_tool_calls",
]);

function isIdle(value: Json | undefined): boolean {
  return value === undefined || value === null || value === false || value === "";
}

function isBound(value: number | undefined, most: number): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= most;
}

/** A server of one's own behind OpenAI's style does not have OpenAI's quirks. */
function ownOrCompatible(provider: string, base: string | undefined): string {
  const isOthers = base !== undefined && !/^https:\/\/([\w-]+\.)*openai\.com(?:\/|$)/.test(base);
  return provider === "openai" && isOthers ? "openai-compatible" : provider;
}

function withPath(base: string, path = ""): string {
  const address = base.replace(/\/+$/, "");
  return path === "" || /\/v\d/.test(address) ? address : address + path;
}

/** `converse/` and a region may stand before the model. */
function bedrockModel(model: string): string {
  return model.replace(/^(?:converse\/|invoke\/)/, "").replace(/^[a-z]{2}(?:-[a-z]+)+-\d\//, "");
}

/** Prices that the deployments name, by the names of models that clients use. */
function readPrices(
  deployments: readonly Deployment[],
  { aliases }: RouterTerms,
  draft: ImportDraft,
): void {
  const found = new Map<string, JsonObject>();
  for (const { name, params, info } of deployments) {
    const fields = priceFields({ ...info, ...params });
    if (fields === undefined) continue;
    const first = found.get(name);
    if (first !== undefined && JSON.stringify(first) !== JSON.stringify(fields)) {
      draft.leave(
        `another price of ${name}`,
        "Its deployments have different prices; here a model has one. The first is taken.",
      );
    }
    found.set(name, first ?? fields);
  }
  for (const [alias, name] of aliases) {
    const fields = found.get(name);
    if (fields !== undefined && !found.has(alias)) found.set(alias, fields);
  }
  for (const [name, fields] of found) {
    if (name.includes("*") || !MODEL_NAME.test(name)) continue;
    draft.models.push({
      ref: name,
      name,
      changes: [],
      fields: { ...fields, source: "LiteLLM, imported" },
    });
  }
}

function priceFields(given: JsonObject): JsonObject | undefined {
  const rate = (name: string): string | undefined => {
    const cost = numberIn(given[name]);
    return cost === undefined ? undefined : writeRate(cost * 1_000_000);
  };
  const unit = (name: string): string | undefined => {
    const cost = numberIn(given[name]);
    return cost === undefined || cost === 0 ? undefined : writeUnitPrice(cost);
  };
  const [input, output] = [rate("input_cost_per_token"), rate("output_cost_per_token")];
  const tokens =
    input === undefined && output === undefined
      ? {}
      : { input: input ?? "0", output: output ?? "0" };
  const units = {
    image: unit("output_cost_per_image"),
    second: unit("output_cost_per_second") ?? unit("input_cost_per_second"),
    search: unit("input_cost_per_query"),
  };
  const more = {
    cached_input: rate("cache_read_input_token_cost"),
    cache_write: rate("cache_creation_input_token_cost"),
    audio_input: rate("input_cost_per_audio_token"),
    audio_output: rate("output_cost_per_audio_token"),
  };
  const priced = Object.entries({ ...tokens, ...units });
  const all = [...priced, ...Object.entries(more)].flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return priced.some(([, value]) => value !== undefined) ? Object.fromEntries(all) : undefined;
}

/** YAML reads `1e-6` as text in some forms. */
function numberIn(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : numberOf(value);
  return number === undefined || Number.isNaN(number) || number < 0 ? undefined : number;
}

/** An entry of `model_list` in a file. */
export function deploymentOf(entry: Json): Deployment | undefined {
  const name = textOf(objectOf(entry)?.["model_name"]);
  const params = objectOf(objectOf(entry)?.["litellm_params"]);
  if (name === undefined || params === undefined) return undefined;
  const info = objectOf(objectOf(entry)?.["model_info"]) ?? {};
  return { name, params, info, isBlocked: flagOf(info["blocked"]) === true, unread: [] };
}

/** Names of models by the access groups that they are in. */
export function accessGroupsOf(
  deployments: readonly Deployment[],
): ReadonlyMap<string, readonly string[]> {
  const pairs = deployments.flatMap(({ name, info }) =>
    listOf(info["access_groups"]).flatMap((group) =>
      typeof group === "string" ? [{ group, name }] : [],
    ),
  );
  const groups = Map.groupBy(pairs, ({ group }) => group);
  return new Map([...groups].map(([group, found]) => [group, found.map(({ name }) => name)]));
}
