import { headerProblem, memberProblem } from "#config/documents/overrides.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { defined, objectOf, textOf } from "#lib/values.ts";
import type { ImportDraft } from "../draft.ts";
import { freshName, toObjectName } from "../names.ts";
import type { Row } from "../row.ts";
import { bedrockName } from "./bedrock-models.ts";
import { channelTypeOf, SPECIAL_BASES, type ChannelType, type Program } from "./channel-types.ts";

const ENABLED = 1;
const DISABLED_BY_PROGRAM = 3;
const MOST_PRIORITY = 1_000;
const MOST_WEIGHT = 1_000;
/** Share of a channel without a weight beside channels with one. */
const LEAST_WEIGHT = 0.001;
/** new-api keeps dots in names of Azure's deployments on channels since 2025-05-10. */
const DOTS_SINCE = 1_746_835_200;
const MODEL_NAME = /^[^\p{C}\p{Z}]{1,200}$/u;

interface ChannelTerms {
  readonly program: Program;
  /** The program disables a channel if the vendor refuses its credential. */
  readonly isAutoDisabling: boolean;
}

/** The refs of a channel's parts: one for most, several if its credentials are for several regions. */
export type ChannelRefs = ReadonlyMap<number, readonly string[]>;

/** Channels with their credentials, models, order and groups. */
export function readChannels(
  rows: readonly Row[],
  terms: ChannelTerms,
  draft: ImportDraft,
): ChannelRefs {
  const refs = new Map<number, readonly string[]>();
  const taken = new Set<string>();
  const isWeighted = rows.some((row) => (row.number("weight") ?? 0) > 0);
  for (const row of rows) {
    const id = row.number("id") ?? 0;
    const subject = `channel ${id} (${row.text("name") ?? ""})`;
    const type = row.number("type") ?? 0;
    const known = channelTypeOf(terms.program, type);
    if (known?.provider === undefined) {
      draft.leave(subject, whyNot(known, type));
      continue;
    }
    const reader = new ChannelReader(row, known, terms, isWeighted);
    const parts = reader.parts();
    if (typeof parts === "string") {
      draft.leave(subject, parts);
      continue;
    }
    const name = toObjectName(row.text("name") ?? "", `channel-${id}`);
    const made = parts.map((fields, index) => {
      const ref = index === 0 ? String(id) : `${id}.${index + 1}`;
      draft.channels.push({
        ref,
        name: freshName(name, taken),
        changes: reader.changes,
        isEnabled: row.number("status") === ENABLED,
        fields,
      });
      return ref;
    });
    refs.set(id, made);
  }
  return refs;
}

function whyNot(known: ChannelType | undefined, type: number): string {
  if (known === undefined) return `Type ${type} is not known to this version of Sluice.`;
  return `${known.vendor}: ${known.why ?? ""}`;
}

interface Part {
  readonly keys: readonly string[];
  readonly options?: JsonObject;
  readonly models: readonly (readonly [name: string, upstream: string])[];
}

/** Reads one row; `changes` collects the differences here. */
class ChannelReader {
  readonly changes: string[] = [];
  readonly #row: Row;
  readonly #type: ChannelType;
  readonly #terms: ChannelTerms;
  readonly #isWeighted: boolean;
  readonly #config: JsonObject;

  constructor(row: Row, type: ChannelType, terms: ChannelTerms, isWeighted: boolean) {
    this.#row = row;
    this.#type = type;
    this.#terms = terms;
    this.#isWeighted = isWeighted;
    this.#config = row.object("config") ?? {};
  }

  /** The fields of the channels that it becomes, or the reason why it becomes none. */
  parts(): readonly JsonObject[] | string {
    const models = this.#models();
    if (models.length === 0) return "It serves no model.";
    const base = this.#base();
    if (base === undefined) {
      return "Its address is not that of an endpoint for chat completions.";
    }
    const found = this.#split(models);
    if (typeof found === "string") return found;
    const { provider = "" } = this.#type;
    const common = this.#common();
    if (found.length > 1) {
      this.changes.push(`It becomes ${found.length} channels, one for each region.`);
    }
    return found.map(({ keys, options, models: served }) => ({
      provider,
      ...(base === "" ? {} : { base_url: base }),
      ...(keys.length === 0 ? {} : { api_keys: [...keys] }),
      models: served.map(([name, upstream]) => (name === upstream ? name : { name, upstream })),
      ...(options === undefined ? {} : { options }),
      ...common,
    }));
  }

  /** Names that clients use, with the vendor's. */
  #models(): readonly (readonly [string, string])[] {
    const mapping = this.#row.object("model_mapping") ?? {};
    const names = [...new Set(this.#row.parts("models", /,/))];
    const bad = names.filter((each) => !MODEL_NAME.test(each));
    if (bad.length > 0) {
      this.changes.push(`Models whose names have spaces are left out: ${bad.join(", ")}.`);
    }
    return names
      .filter((each) => MODEL_NAME.test(each))
      .map((name) => {
        const upstream = mapped(name, mapping);
        return [name, MODEL_NAME.test(upstream) ? upstream : name] as const;
      });
  }

  /** Empty for the provider's own address; undefined if the address has no form that is known. */
  #base(): string | undefined {
    const given = (this.#row.text("base_url") ?? "").trim().replace(/\/+$/, "");
    const { base = "", path = "", form } = this.#type;
    const special = SPECIAL_BASES[given];
    if (special !== undefined) return special;
    if (form === "whole-url") return /^(https?:\/\/.+)\/chat\/completions$/.exec(given)?.[1];
    if (form === "cloudflare") {
      const account = this.#row.text("other") ?? textOf(this.#config["user_id"]) ?? "";
      return `${given || "https://api.cloudflare.com"}/client/v4/accounts/${account}/ai/v1`;
    }
    if (form === "aws" || form === "vertex") return given;
    if (form === "azure") {
      const version = this.#row.text("other") ?? textOf(this.#config["api_version"]);
      if (version !== undefined) {
        this.changes.push(`Azure's v1 API is used, which has no API version (${version} there).`);
      }
      return given === "" ? undefined : `${given}${path}`;
    }
    if (form === "gemini") return this.#geminiBase(given);
    const address = given === "" ? base : given;
    if (address === "") return this.#type.provider === "openai-compatible" ? undefined : "";
    // Some installations have the version in the address already.
    return /\/v\d+[a-z0-9]*(?:\/|$)/.test(URL.parse(address)?.pathname ?? "")
      ? address
      : address + path;
  }

  #geminiBase(given: string): string {
    const version = this.#row.text("other") ?? textOf(this.#config["api_version"]) ?? "v1beta";
    if (given === "" && version === "v1beta") return "";
    return `${given || "https://generativelanguage.googleapis.com"}/${version}`;
  }

  /** Channels here have one region each. */
  #split(models: Part["models"]): readonly Part[] | string {
    const keys = this.#keys();
    switch (this.#type.form) {
      case "aws":
        return this.#awsParts(keys, models);
      case "vertex":
        return this.#vertexParts(keys, models);
      case "azure":
        return [{ keys, models: models.map((each) => this.#deployment(each)) }];
      default:
        return [{ keys, models }];
    }
  }

  #keys(): readonly string[] {
    const text = (this.#row.text("key") ?? "").trim();
    const info = this.#row.object("channel_info") ?? {};
    if (info["is_multi_key"] !== true) return text === "" ? [] : [text];
    const all = severalKeys(text);
    const states = objectOf(info["multi_key_status_list"]) ?? {};
    const used = all.filter((_, index) => (states[String(index)] ?? ENABLED) === ENABLED);
    if (used.length < all.length) {
      this.changes.push(
        `${all.length - used.length} of its ${all.length} credentials are switched off there, and are left out.`,
      );
    }
    return [...new Set(used)];
  }

  /** Azure's deployments had no dots in their names. */
  #deployment([name, upstream]: Part["models"][number]): Part["models"][number] {
    const isOld =
      this.#terms.program === "one-api" ||
      (this.#terms.program === "new-api" && (this.#row.number("created_time") ?? 0) < DOTS_SINCE);
    return [name, isOld && name === upstream ? upstream.replaceAll(".", "") : upstream];
  }

  #awsParts(keys: readonly string[], models: Part["models"]): readonly Part[] | string {
    const pairs = keys.map((key) => key.split("|").map((each) => each.trim()));
    const ak = textOf(this.#config["ak"]);
    const sk = textOf(this.#config["sk"]);
    if (ak !== undefined && sk !== undefined && ak !== "" && sk !== "") {
      pairs.splice(0, pairs.length, [ak, sk, textOf(this.#config["region"]) ?? ""]);
    }
    const usable = pairs.filter((pair) => pair.length >= 3);
    if (usable.length === 0) {
      return "Its credential is not an access key with its secret and region. Bedrock's API keys are not supported.";
    }
    const isAcross = this.#terms.program === "new-api";
    const regions = Map.groupBy(usable, ([, , region = ""]) => region);
    return [...regions].map(([region, found]) => ({
      keys: found.map(([access = "", secret = ""]) => `${access}:${secret}`),
      options: { region },
      models: models.map(([name, upstream]) => [name, bedrockName(upstream, region, isAcross)]),
    }));
  }

  #vertexParts(keys: readonly string[], models: Part["models"]): readonly Part[] | string {
    const account = textOf(this.#config["vertex_ai_adc"]);
    const all = account === undefined || account === "" ? keys : [account];
    const [first = ""] = all;
    const project =
      textOf(this.#config["vertex_ai_project_id"]) ??
      textOf(objectOf(parseJson(first))?.["project_id"]);
    const others = all.filter(
      (key) => textOf(objectOf(parseJson(key))?.["project_id"]) !== project,
    );
    if (others.length > 0 && all.length > 1) {
      return "Its service accounts belong to several projects. Create a channel for each.";
    }
    const locations = this.#locations();
    const regions = Map.groupBy(models, ([name]) => locations(name));
    return [...regions].map(([location, served]) => ({
      keys: all,
      options: project === undefined ? {} : { project, location },
      models: served,
    }));
  }

  /** The region of each model; `default` stands for the rest. */
  #locations(): (model: string) => string {
    const other = this.#row.text("other") ?? "";
    const regions = objectOf(parseJson(other));
    const fallback =
      textOf(regions?.["default"]) ??
      textOf(this.#config["region"]) ??
      (regions === undefined && other !== "" ? other : "global");
    return (model) => textOf(regions?.[model]) ?? fallback;
  }

  #common(): JsonObject {
    const tag = this.#row
      .text("tag")
      ?.trim()
      .replaceAll(/[^\p{L}\p{N}_.:/=-]+/gu, "-");
    this.#noteState();
    return {
      ...this.#order(),
      ...this.#overrides(),
      ...this.#settings(),
      ...(this.#terms.isAutoDisabling && this.#row.number("auto_ban") !== 0
        ? { auto_disable: { refused: true } }
        : {}),
      ...defined({
        notes: this.#row.text("remark")?.trim().slice(0, 4_000),
        tags: tag === undefined || tag === "" ? undefined : [tag.slice(0, 64)],
      }),
    };
  }

  #noteState(): void {
    if (this.#row.number("status") === DISABLED_BY_PROGRAM) {
      const reason = textOf(this.#row.object("other_info")?.["status_reason"]);
      this.changes.push(
        `The program disabled it${reason === undefined ? "" : ` (${reason})`}. It is disabled here until you enable it.`,
      );
    }
    const statuses = Object.keys(this.#row.object("status_code_mapping") ?? {});
    if (statuses.length > 0) {
      this.changes.push(
        `It maps the status ${statuses.join(", ")} to another one; here none does.`,
      );
    }
  }

  /** There, higher priorities come first; here, lower ones. */
  #order(): JsonObject {
    const priority = this.#row.number("priority") ?? 0;
    const weight = this.#row.number("weight") ?? 0;
    const bounded = Math.max(-MOST_PRIORITY, Math.min(MOST_PRIORITY, priority));
    if (bounded !== priority) this.changes.push(`Its priority ${priority} becomes ${bounded}.`);
    const share = weight > 0 ? Math.min(weight, MOST_WEIGHT) : this.#isWeighted ? LEAST_WEIGHT : 1;
    return {
      ...(bounded === 0 ? {} : { priority: -bounded }),
      ...(share === 1 ? {} : { weight: share }),
    };
  }

  #overrides(): JsonObject {
    const organization = this.#row.text("open_ai_organization");
    const headers = [
      ...(organization === undefined ? [] : [["openai-organization", organization] as const]),
      ...Object.entries(this.#row.object("header_override") ?? {}),
    ].filter(([name, value]) => this.#isHeaderTaken(name, value));
    const params = this.#row.object("param_override") ?? {};
    const { set, remove } = this.#bodyChanges(params);
    return {
      ...(headers.length === 0
        ? {}
        : { headers: { set: Object.fromEntries(headers.map(([name, value]) => [name, value])) } }),
      ...(Object.keys(set).length === 0 && remove.length === 0
        ? {}
        : {
            body: {
              ...(Object.keys(set).length === 0 ? {} : { set }),
              ...(remove.length === 0 ? {} : { remove }),
            },
          }),
    };
  }

  #isHeaderTaken(name: string, value: Json | undefined): boolean {
    if (typeof value !== "string" || value.includes("{") || headerProblem(name) !== undefined) {
      this.changes.push(`The header ${name} is not set here: its value is not a fixed text.`);
      return false;
    }
    return true;
  }

  #bodyChanges(params: JsonObject): { set: Record<string, Json>; remove: string[] } {
    const set: Record<string, Json> = {};
    const remove: string[] = [];
    const refuse = (path: string, why: string): void => {
      this.changes.push(`The member ${path} of requests is not changed here: ${why}`);
    };
    const take = (path: string, mode: string, value: Json | undefined): void => {
      if (memberProblem(path) !== undefined) {
        refuse(path, "routing, limits or charges depend on it.");
      } else if (mode === "set" && value !== undefined) set[path] = written(value);
      else if (mode === "delete") remove.push(path);
      else refuse(path, `Sluice has no change '${mode}'.`);
    };
    const { operations, ...plain } = params;
    for (const [path, value] of Object.entries(plain)) take(path, "set", value);
    for (const each of Array.isArray(operations) ? operations : []) {
      if (!isObject(each)) continue;
      const path = textOf(each["path"]) ?? "";
      if (Array.isArray(each["conditions"]) && each["conditions"].length > 0) {
        refuse(path, "there, it depends on conditions.");
      } else take(path, textOf(each["mode"]) ?? "", each["value"]);
    }
    return { set, remove };
  }

  /** Settings of new-api's columns `setting` and `settings`. */
  #settings(): JsonObject {
    const { proxy, system_prompt: said, ...setting } = this.#row.object("setting") ?? {};
    const others = { ...setting, ...this.#row.object("settings") };
    for (const [name, value] of Object.entries(others)) {
      if (isIdle(value) || READ_SETTINGS.has(name)) continue;
      this.changes.push(`Its setting ${name} has no counterpart here.`);
    }
    const prompt = textOf(said) ?? this.#row.text("system_prompt") ?? "";
    const through = textOf(proxy)?.trim() ?? "";
    const isProxy = /^(?:https?|socks5h?):\/\//.test(through);
    if (through !== "" && !isProxy) this.changes.push("Its proxy has no form that is known here.");
    return {
      ...(prompt.trim() === "" ? {} : { system_prompt: prompt.slice(0, 20_000) }),
      ...(isProxy ? { proxy: through.replace(/^socks5h:/, "socks5:") } : {}),
    };
  }
}

/** Settings that other columns repeat, or that say which form the credential has. */
const READ_SETTINGS = new Set(["vertex_key_type", "aws_key_type", "azure_responses_version"]);

function isIdle(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === false || value === "" || value === 0;
}

/** A member of a JSON text that reads as another value is quoted. */
function written(value: Json): Json {
  return typeof value === "string" && parseJson(value) !== undefined
    ? JSON.stringify(value)
    : value;
}

/** Mappings may lead to others. */
function mapped(name: string, mapping: JsonObject): string {
  const seen = new Set<string>();
  let current = name;
  for (;;) {
    const next = textOf(mapping[current]);
    if (next === undefined || next === "" || seen.has(next)) return current;
    seen.add(current);
    current = next;
  }
}

/** A JSON list, or one in each line. */
function severalKeys(text: string): readonly string[] {
  const list = text.startsWith("[") ? parseJson(text) : undefined;
  const all = Array.isArray(list)
    ? list.map((each) => (typeof each === "string" ? each : JSON.stringify(each)))
    : text.split("\n");
  return all.map((each) => each.trim()).filter((each) => each !== "");
}
