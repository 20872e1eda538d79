import type { z } from "zod";
import type { ModelList } from "#core/channel.ts";
import { patternProblem } from "#core/model-pattern.ts";
import type { ChannelDraft } from "#core/stored-routing.ts";
import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import { SENSITIVE } from "#lib/schema-rule.ts";
import { defined } from "#lib/values.ts";
import { checkOptions, optionValue, type KnownOptions } from "../channel-options.ts";
import { modelName, objectName } from "../names.ts";
import { choice, type Parser, parser, text, wholeNumber } from "../parsers.ts";
import { upstreamCredential } from "../secrets.ts";
import { didYouMean } from "../suggest.ts";
import { OPERATION_FIELDS, operationOf } from "./channel-operation.ts";
import { ALWAYS, chosen, dictionary, fields, isMap, list } from "./fields.ts";
import { factor } from "./factor.ts";
import { PACE } from "./limits.ts";
import { OVERRIDE_FIELDS, overridesOf } from "./overrides.ts";

/** The requirements of a channel's provider. */
export interface KnownProvider {
  readonly id: string;
  /** The provider requires a credential. */
  readonly needsKey: boolean;
  /** The environment variable that is enough to create a channel. */
  readonly keyVariable?: string;
  /** The provider has no default URL. */
  readonly needsBaseUrl?: boolean;
  /** Ids of the available wire formats; any id is accepted if absent. */
  readonly styles?: readonly string[];
  /** The provider cannot list its models. */
  readonly needsModels?: boolean;
  /** Any options are accepted if absent. */
  readonly options?: KnownOptions;
}

const priority: Parser<number> = parser({
  expects: "a whole number from -1000 to 1000",
  shows: "always",
  parse: (given) => (/^-?(?:1000|\d{1,3})$/.test(given) ? Number(given) : undefined),
  format: String,
  json: { type: "integer", minimum: -1_000, maximum: 1_000 },
});

const WEIGHT_DECIMALS = 3;
const weight: Parser<number> = parser({
  expects: `a number above 0 of at most 1000 and ${WEIGHT_DECIMALS} decimals`,
  shows: "always",
  parse(given) {
    const thousandths = parseDecimal(given, WEIGHT_DECIMALS) ?? 0;
    return thousandths > 0 && thousandths <= 1_000_000 ? thousandths / 1000 : undefined;
  },
  format: (value) => formatDecimal(Math.round(value * 1000), WEIGHT_DECIMALS),
  json: { type: "number", minimum: 0, maximum: 1_000 },
});

/** Addresses may hold a login, and options a credential: no error quotes them. */
const UNQUOTED = { [SENSITIVE]: true };

const baseUrl: Parser<string> = parser({
  expects: "an http:// or https:// URL without user, query and fragment",
  shows: "valid",
  parse(given) {
    if (!/^https?:\/\/[^\s\p{Cc}?#\\]{1,2000}$/iu.test(given)) return undefined;
    const url = URL.parse(given);
    if (url === null || url.username !== "" || url.password !== "") return undefined;
    return url.href.replace(/\/{1,100}$/, "");
  },
  format: (url) => url,
  json: { type: "string", ...UNQUOTED },
});

const MAX_OPTIONS = 64;
const named = modelName.schema.transform((name) => ({ name, upstream: name }));
const mapped = fields({ name: modelName.schema, upstream: modelName.schema.optional() });

/** A model's name, or a map of its name and the upstream's. */
const listedModel = chosen<typeof named | typeof mapped>((given) =>
  isMap(given) ? mapped : named,
).meta({
  anyOf: [
    { type: "string" },
    {
      type: "object",
      properties: { name: { type: "string" }, upstream: { type: "string" } },
      required: ["name"],
    },
  ],
});

const MAX_TAGS = 32;

const channelTag = text(
  "a label of 1 to 64 letters, digits and the characters - _ . : / =",
  /^[\p{L}\p{N}_.:/=-]{1,64}$/u,
);

/** Descriptions by people; calls do not read them. */
const DESCRIBING_FIELDS = {
  notes: text("text of 1 to 4000 characters", /^(?!\s*$)[^\p{Cs}\0]{1,4000}$/u)
    .schema.describe("Text for people, of at most 4000 characters.")
    .optional(),
  tags: list(channelTag.schema, { max: MAX_TAGS })
    .superRefine(refuseRepeatedTags, ALWAYS)
    .describe("Labels of your own, to find channels by; at most 32.")
    .optional(),
};

/** The fields of a channel that hold for every provider. */
export const CHANNEL_FIELDS = {
  name: objectName.schema.describe(
    "Unique; 1 to 64 letters and digits of any script, dots, dashes and underscores.",
  ),
  provider: text("the id of a provider", /^[^]*$/).schema.describe(
    "Id of a provider, or of a compatible style such as `openai-compatible`.",
  ),
  base_url: baseUrl.schema
    .describe(
      "`http://` or `https://`, without user, query and fragment; the vendor's own address by default. Compatible providers require it.",
    )
    .optional(),
  api_key: upstreamCredential.schema
    .describe("The credential that is sent to the vendor, if it requires one.")
    .optional(),
  api_keys: list(upstreamCredential.schema, { whenEmpty: "list at least one credential." })
    .meta({ ...UNQUOTED, description: "Several credentials, instead of `api_key`." })
    .optional(),
  models: list(listedModel, { whenEmpty: "leave it out to use the upstream's own model list." })
    .superRefine(checkModelNames, ALWAYS)
    .describe(
      "Names to serve; `{ name, upstream }` if the vendor uses another name. One `*` stands for any text, such as `openai/*`. Without it, all models of the vendor.",
    )
    .optional(),
  model_prefix: text(
    "a prefix of 1 to 64 letters, digits, dots, dashes and underscores",
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  )
    .schema.describe(
      "The channel's models are also served as `prefix/model`, by this channel and others with the same prefix.",
    )
    .optional(),
  style: text("the id of a wire format", /^[a-z0-9-]{1,64}$/)
    .schema.describe("The wire format, if the vendor has several.")
    .optional(),
  options: dictionary(optionValue.schema, {
    wrongType: "is not a map of options.",
    max: MAX_OPTIONS,
    noun: "options",
  })
    .meta({
      ...UNQUOTED,
      description: "Further values for the provider, as text by name; some providers require them.",
    })
    .optional(),
  priority: priority.schema
    .describe("Lower values are tried first; 0 by default, from -1000 to 1000.")
    .optional(),
  weight: weight.schema
    .describe("Share of the calls among channels of one priority; above 0, 1 by default.")
    .optional(),
  max_concurrent: wholeNumber(1, 1_000_000)
    .schema.describe("Simultaneous calls; `limits.channel_in_flight` by default.")
    .optional(),
  limits: PACE.describe(
    "`{ rpm, tpm }`: the account's limits at the vendor. A channel at its limit is passed over.",
  ).optional(),
  price_factor: factor.schema
    .describe(
      "Factor on the prices of its models, with at most three decimals: 0.9 is a discount of 10 %, 1.05 a surcharge of 5 %.",
    )
    .optional(),
  ...OVERRIDE_FIELDS,
  ...OPERATION_FIELDS,
  ...DESCRIBING_FIELDS,
};

interface ChannelTerms {
  readonly providers: readonly KnownProvider[];
  /** Credentials may be stored already, so the description may omit them. */
  readonly isKeyOptional?: boolean;
}

/** The schema of a channel, with further fields of one kind of document. */
export function channelSchema<S extends z.ZodRawShape>(terms: ChannelTerms, more: S) {
  const { providers } = terms;
  const shape = { ...CHANNEL_FIELDS, provider: providerAmong(providers).schema, ...more };
  return fields(shape).superRefine((given: unknown, context) => {
    checkChannel(given, terms, context);
  }, ALWAYS);
}

type GivenChannel = z.output<z.ZodObject<typeof CHANNEL_FIELDS>>;

export function channelOf(given: GivenChannel): ChannelDraft {
  const { api_key: one, api_keys: several = [] } = given;
  return {
    name: given.name,
    provider: given.provider,
    credentials: one === undefined ? several : [one],
    models: modelListOf(given.models),
    priority: given.priority ?? 0,
    weight: given.weight ?? 1,
    ...defined({
      baseUrl: given.base_url,
      style: given.style,
      options: given.options && Object.fromEntries(given.options),
      maxConcurrent: given.max_concurrent,
      limits: given.limits,
      modelPrefix: given.model_prefix,
      overrides: overridesOf(given),
      ...operationOf(given),
      priceFactor: given.price_factor,
      notes: given.notes,
      tags: given.tags?.length === 0 ? undefined : given.tags,
    }),
  };
}

function modelListOf(models: GivenChannel["models"]): ModelList {
  if (models === undefined) return { kind: "discover" };
  const upstreamNames = new Map(models.map(({ name, upstream }) => [name, upstream ?? name]));
  return { kind: "listed", upstreamNames };
}

function checkModelNames(models: unknown, context: z.RefinementCtx): void {
  if (!Array.isArray(models)) return;
  const taken = new Set<unknown>();
  for (const [index, model] of models.entries()) {
    const name: unknown = isMap(model) ? model["name"] : undefined;
    if (typeof name !== "string") continue;
    const upstream: unknown = isMap(model) ? (model["upstream"] ?? name) : name;
    const problem = patternProblem(name, typeof upstream === "string" ? upstream : name);
    if (problem !== undefined)
      context.addIssue({ code: "custom", message: problem, path: [index] });
    const message = "is a duplicate name. Choose another one.";
    if (taken.has(name)) context.addIssue({ code: "custom", message, path: [index] });
    taken.add(name);
  }
}

function refuseRepeatedTags(tags: unknown, context: z.RefinementCtx): void {
  if (!Array.isArray(tags)) return;
  for (const [index, tag] of tags.entries()) {
    if (tags.indexOf(tag) === index) continue;
    context.addIssue({ code: "custom", message: "is a duplicate label.", path: [index] });
  }
}

/** Runs on channels with mistakes too, so every field may be missing. */
function checkChannel(given: unknown, terms: ChannelTerms, context: z.RefinementCtx): void {
  if (!isMap(given)) return;
  if ("api_key" in given && "api_keys" in given) {
    const message = 'cannot be combined with "api_key". Use only one of them.';
    context.addIssue({ code: "custom", message, path: ["api_keys"] });
  }
  const provider = terms.providers.find(({ id }) => id === given["provider"]);
  if (provider === undefined) return;
  checkStyle(given["style"], provider, context);
  const { options } = given;
  checkOptions(options instanceof Map ? options : readable(options), provider, context);
  for (const message of missingFields(given, provider, terms)) {
    context.addIssue({ code: "custom", message });
  }
}

/** The options of a map with mistakes; undefined if there is no map. */
function readable(options: unknown): ReadonlyMap<string, unknown> | undefined {
  return isMap(options) ? new Map(Object.entries(options)) : undefined;
}

function checkStyle(given: unknown, { styles }: KnownProvider, context: z.RefinementCtx): void {
  if (styles === undefined || typeof given !== "string" || styles.includes(given)) return;
  const message = choice(...styles).explain?.(given) ?? "";
  context.addIssue({ code: "custom", message, path: ["style"], params: { shows: "always" } });
}

function missingFields(
  given: object,
  { id, needsKey, needsBaseUrl, needsModels }: KnownProvider,
  { isKeyOptional = false }: ChannelTerms,
): readonly string[] {
  const hasKey = isKeyOptional || "api_key" in given || "api_keys" in given;
  return [
    ...(needsKey && !hasKey ? [`"api_key" is missing; ${id} requires a credential.`] : []),
    ...(needsBaseUrl === true && !("base_url" in given)
      ? [`"base_url" is missing; ${id} has no default URL.`]
      : []),
    ...(needsModels === true && !("models" in given)
      ? [`"models" is missing; ${id} cannot list its models.`]
      : []),
  ];
}

function providerAmong(providers: readonly KnownProvider[]): Parser<string> {
  const ids = providers.map(({ id }) => id);
  return parser({
    expects: "the id of a provider",
    shows: "always",
    parse: (given) => (ids.includes(given) ? given : undefined),
    format: (id) => id,
    explain: (given) => `is not a provider; ${didYouMean(given, ids)}`,
  });
}
