import type { operations } from "../../../generated/api.d.ts";
import type { Channel } from "./channel.ts";

type Json<Operation extends { requestBody: { content: { "application/json": unknown } } }> =
  Operation["requestBody"]["content"]["application/json"];
export type NewChannel = Json<operations["createChannel"]>;

const EMPTY = {
  vendor: "",
  name: "",
  key: "",
  address: "",
  models: "",
  prefix: "",
  style: "",
  options: "",
  tags: "",
  notes: "",
  priority: "0",
  weight: "1",
  concurrent: "",
  rpm: "",
  tpm: "",
  priceFactor: "",
  lowBalance: "",
  systemPrompt: "",
  headers: "",
  query: "",
  body: "",
  firstByte: "",
  total: "",
  proxy: "",
  refused: "",
  noBalance: "",
  failingShare: "",
  minAttempts: "",
  window: "",
};

export type FieldName = keyof typeof EMPTY;
/** The fields of the form, as they are typed. */
export type Draft = Readonly<Record<FieldName, string>>;

export const EMPTY_DRAFT: Draft = EMPTY;
export const FIELD_NAMES = Object.keys(EMPTY) as readonly FieldName[];
export const JSON_FIELDS: readonly FieldName[] = ["options", "headers", "query", "body"];

export function draftOf(channel: Channel): Draft {
  const { limits, timeout, auto_disable: rules } = channel;
  return {
    vendor: channel.provider,
    name: channel.name,
    key: "",
    address: channel.base_url ?? "",
    models: channel.models?.map(writeModel).join("\n") ?? "",
    prefix: channel.model_prefix ?? "",
    style: channel.style ?? "",
    options: writeJson(channel.options),
    tags: channel.tags.join(", "),
    notes: channel.notes ?? "",
    priority: String(channel.priority),
    weight: String(channel.weight),
    concurrent: writeNumber(channel.max_concurrent),
    rpm: writeNumber(limits?.rpm),
    tpm: writeNumber(limits?.tpm),
    priceFactor: channel.price_factor ?? "",
    lowBalance: writeNumber(channel.low_balance),
    systemPrompt: channel.system_prompt ?? "",
    headers: writeJson(channel.headers),
    query: writeJson(channel.query),
    body: writeJson(channel.body),
    firstByte: timeout?.first_byte ?? "",
    total: timeout?.total ?? "",
    proxy: channel.proxy ?? "",
    refused: writeSwitch(rules?.refused),
    noBalance: writeSwitch(rules?.no_balance),
    failingShare: writeNumber(rules?.failing_share),
    minAttempts: writeNumber(rules?.min_attempts),
    window: rules?.window ?? "",
  };
}

/** The request's fields. The JSON fields must be valid. */
export function bodyOf(draft: Draft): NewChannel {
  const text = (name: FieldName): string | null => draft[name].trim() || null;
  const number = (name: FieldName): number | null =>
    draft[name].trim() === "" ? null : Number(draft[name]);
  return {
    name: draft.name.trim(),
    provider: draft.vendor.trim(),
    base_url: text("address"),
    models: readModels(draft.models),
    model_prefix: text("prefix"),
    style: text("style"),
    options: readJson(draft.options),
    tags: draft.tags
      .split(/[,，]/)
      .map((tag) => tag.trim())
      .filter(Boolean),
    notes: text("notes"),
    priority: number("priority"),
    weight: number("weight"),
    max_concurrent: number("concurrent"),
    limits: ifAny({ rpm: number("rpm"), tpm: number("tpm") }),
    price_factor: text("priceFactor"),
    low_balance: number("lowBalance"),
    system_prompt: text("systemPrompt"),
    headers: readJson(draft.headers),
    query: readJson(draft.query),
    body: readJson(draft.body),
    timeout: ifAny({ first_byte: text("firstByte"), total: text("total") }),
    proxy: text("proxy"),
    auto_disable: ifAny({
      refused: readSwitch(draft.refused),
      no_balance: readSwitch(draft.noBalance),
      failing_share: number("failingShare"),
      min_attempts: number("minAttempts"),
      window: text("window"),
    }),
    ...(draft.key.trim() === "" ? {} : { api_key: draft.key.trim() }),
  };
}

/** The fields of `after` that differ from those of `before`. */
export function changesBetween(before: NewChannel, after: NewChannel): Partial<NewChannel> {
  const known: Readonly<Record<string, unknown>> = { ...before };
  return Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name]),
    ),
  );
}

export function isChanged(name: FieldName, before: Draft, after: Draft): boolean {
  return before[name].trim() !== after[name].trim();
}

/** `theirs` with each field that `mine` changed since `base`. */
export function merge(base: Draft, mine: Draft, theirs: Draft): Draft {
  const own = FIELD_NAMES.filter((name) => isChanged(name, base, mine));
  return { ...theirs, ...Object.fromEntries(own.map((name) => [name, mine[name]])) };
}

/** The JSON fields that hold no JSON object. */
export function invalidFields(draft: Draft): readonly FieldName[] {
  return JSON_FIELDS.filter((name) => {
    try {
      const value: unknown = JSON.parse(draft[name].trim() || "{}");
      return typeof value !== "object" || value === null || Array.isArray(value);
    } catch {
      return true;
    }
  });
}

function writeModel(model: string | { readonly name: string; readonly upstream: string }): string {
  return typeof model === "string" ? model : `${model.name} = ${model.upstream}`;
}

function readModels(text: string): (string | { name: string; upstream: string })[] | null {
  const found = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [name = "", upstream] = line.split("=").map((part) => part.trim());
      return upstream === undefined ? name : { name, upstream };
    });
  return found.length === 0 ? null : found;
}

function writeJson(value: unknown): string {
  return value === null || value === undefined ? "" : JSON.stringify(value, null, 2);
}

function readJson<T>(text: string): T | null {
  return text.trim() === "" ? null : (JSON.parse(text) as T);
}

function writeNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function writeSwitch(value: boolean | undefined): string {
  return value === undefined ? "" : value ? "on" : "off";
}

function readSwitch(text: string): boolean | null {
  return text === "" ? null : text === "on";
}

/** Null if it has no value: the default of the gateway holds. */
function ifAny<T extends Readonly<Record<string, unknown>>>(fields: T): T | null {
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  return set.length === 0 ? null : (Object.fromEntries(set) as T);
}
