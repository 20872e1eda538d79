import type { Credential, ModelList } from "#core/channel.ts";
import type { ChannelDraft } from "#core/stored-routing.ts";
import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import { readOptions, type KnownOptions } from "./channel-options.ts";
import { type Form, openForm, readItems, readNode } from "./form.ts";
import { readLimits } from "./limits.ts";
import type { Report } from "./mistakes.ts";
import { modelName, readUniqueName } from "./names.ts";
import { choice, type Parser, text, wholeNumber } from "./parsers.ts";
import { upstreamCredential } from "./secrets.ts";
import { didYouMean } from "./suggest.ts";
import type { FileNode } from "./tree.ts";

/** A channel in the file. */
export interface ChannelConfig extends ChannelDraft {
  readonly maxConcurrent: number;
}

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

const ANY_OPTIONS: KnownOptions = { isOpen: true };

const FIELDS = [
  "name",
  "provider",
  "base_url",
  "api_key",
  "api_keys",
  "models",
  "style",
  "options",
  "priority",
  "weight",
  "max_concurrent",
  "limits",
];

const styleId = text("the id of a wire format", /^[a-z0-9-]{1,64}$/);
const priority: Parser<number> = {
  expects: "a whole number from -1000 to 1000",
  shows: "always",
  parse: (given) => (/^-?(?:1000|\d{1,3})$/.test(given) ? Number(given) : undefined),
  format: String,
};

const WEIGHT_DECIMALS = 3;
const weight: Parser<number> = {
  expects: `a number above 0 of at most 1000 and ${WEIGHT_DECIMALS} decimals`,
  shows: "always",
  parse(given) {
    const thousandths = parseDecimal(given, WEIGHT_DECIMALS) ?? 0;
    return thousandths > 0 && thousandths <= 1_000_000 ? thousandths / 1000 : undefined;
  },
  format: (value) => formatDecimal(Math.round(value * 1000), WEIGHT_DECIMALS),
};

const concurrency = wholeNumber(1, 1_000_000);

const baseUrl: Parser<string> = {
  expects: "an http:// or https:// URL without user, query and fragment",
  shows: "valid",
  parse(given) {
    if (!/^https?:\/\/[^\s\p{Cc}?#\\]{1,2000}$/iu.test(given)) return undefined;
    const url = URL.parse(given);
    if (url === null || url.username !== "" || url.password !== "") return undefined;
    return url.href.replace(/\/{1,100}$/, "");
  },
  format: (url) => url,
};

/** The rules for a channel description. */
interface ChannelTerms {
  readonly provider: Parser<KnownProvider>;
  readonly takenNames: Set<string>;
  /** Credentials may be stored already, so the description may omit them. */
  readonly isKeyOptional?: boolean;
}

export function readChannels(
  node: FileNode | undefined,
  providers: readonly KnownProvider[],
  defaultMaxConcurrent: number,
  report: Report,
): readonly ChannelConfig[] {
  const terms = { provider: providerAmong(providers), takenNames: new Set<string>() };
  return readItems(node, report).flatMap((item) => {
    const channel = readChannel(item, terms, report);
    return channel === undefined ? [] : { maxConcurrent: defaultMaxConcurrent, ...channel };
  });
}

export function readChannel(
  item: FileNode,
  terms: ChannelTerms,
  report: Report,
): ChannelDraft | undefined {
  const form = openForm(item, FIELDS, report);
  if (form === undefined) return undefined;
  const name = readUniqueName(form, terms.takenNames, report);
  const known = form.required("provider", terms.provider);
  const url = form.optional("base_url", baseUrl);
  const credentials = readCredentials(form, report);
  const models = readModelList(form.find("models"), report);
  const style = form.optional("style", known?.styles ? choice(...known.styles) : styleId);
  const options = known && readOptions(form, known.id, known.options ?? ANY_OPTIONS, report);
  const rank = form.optional("priority", priority) ?? 0;
  const share = form.optional("weight", weight) ?? 1;
  const maxConcurrent = form.optional("max_concurrent", concurrency);
  const limits = readLimits(form, report);
  if (known !== undefined) reportMissing(form, known, terms, report);

  if (name === undefined || known === undefined) return undefined;
  return {
    name,
    provider: known.id,
    ...(url === undefined ? {} : { baseUrl: url }),
    credentials,
    models,
    ...(style === undefined ? {} : { style }),
    ...(options === undefined ? {} : { options }),
    priority: rank,
    weight: share,
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
    ...(limits === undefined ? {} : { limits }),
  };
}

function readCredentials(form: Form, report: Report): readonly Credential[] {
  const one = form.find("api_key");
  const several = form.find("api_keys");
  if (one !== undefined && several !== undefined) {
    report(several.place, 'cannot be combined with "api_key". Use only one of them.');
  }
  const nodes = [
    ...(one === undefined ? [] : [one]),
    ...readItems(several, report, "list at least one credential."),
  ];
  return nodes.flatMap((node) => readNode(node, upstreamCredential, report) ?? []);
}

function readModelList(node: FileNode | undefined, report: Report): ModelList {
  if (node === undefined) return { kind: "discover" };
  const whenEmpty = "leave it out to use the upstream's own model list.";
  const upstreamNames = new Map<string, string>();
  for (const item of readItems(node, report, whenEmpty)) {
    const [name, upstream] = readModel(item, report);
    if (name === undefined) continue;
    if (upstreamNames.has(name)) report(item.place, "is a duplicate name. Choose another one.");
    upstreamNames.set(name, upstream ?? name);
  }
  return { kind: "listed", upstreamNames };
}

function readModel(item: FileNode, report: Report): readonly (string | undefined)[] {
  if (item.kind !== "map") return [readNode(item, modelName, report)];
  const form = openForm(item, ["name", "upstream"], report);
  return [form?.required("name", modelName), form?.optional("upstream", modelName)];
}

function reportMissing(
  form: Form,
  provider: KnownProvider,
  { isKeyOptional = false }: ChannelTerms,
  report: Report,
): void {
  const hasKey =
    isKeyOptional || form.find("api_key") !== undefined || form.find("api_keys") !== undefined;
  if (provider.needsKey && !hasKey) {
    report(form.place, `"api_key" is missing; ${provider.id} requires a credential.`);
  }
  if (provider.needsBaseUrl === true && form.find("base_url") === undefined) {
    report(form.place, `"base_url" is missing; ${provider.id} has no default URL.`);
  }
  if (provider.needsModels === true && form.find("models") === undefined) {
    report(form.place, `"models" is missing; ${provider.id} cannot list its models.`);
  }
}

export function providerAmong(providers: readonly KnownProvider[]): Parser<KnownProvider> {
  const ids = providers.map((provider) => provider.id);
  return {
    expects: "the id of a provider",
    shows: "always",
    parse: (given) => providers.find((provider) => provider.id === given),
    format: (provider) => provider.id,
    explain: (given) => `is not a provider; ${didYouMean(given, ids)}`,
  };
}
