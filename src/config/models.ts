import { parseRate, writeRate, type PicoUsdPerToken, type Rates } from "#core/money.ts";
import type { ModelDraft } from "#core/stored-routing.ts";
import { type Form, openForm } from "./form.ts";
import { readLimits } from "./limits.ts";
import { describeSpot, quote, type Report } from "./mistakes.ts";
import { modelName } from "./names.ts";
import { type Parser, wholeNumber } from "./parsers.ts";
import type { FileNode } from "./tree.ts";

/** What the file says of a model, over what the catalogue knows. */
export interface ModelOverride extends ModelDraft {
  /** Where it stands, for the journal of prices. */
  readonly source: string;
}

const FIELDS = [
  "input",
  "output",
  "cached_input",
  "cache_write",
  "audio_input",
  "audio_output",
  "context",
  "max_output",
  "limits",
];
export const RATES = FIELDS.slice(0, -3);

export const usdPerMillion: Parser<PicoUsdPerToken> = {
  expects:
    "a price in US dollars per million tokens, such as 0.15, of at most 6 decimals and 100000",
  shows: "always",
  parse: parseRate,
  format: writeRate,
};

const tokens = wholeNumber(1, 100_000_000);

export function readModels(
  node: FileNode | undefined,
  report: Report,
): ReadonlyMap<string, ModelOverride> {
  const models = new Map<string, ModelOverride>();
  if (node?.kind === "text" || node?.kind === "list") {
    report(node.place, "is not a map of models by their names.");
  }
  if (node?.kind !== "map") return models;

  for (const [name, member] of node.members) {
    if (modelName.parse(name) === undefined) {
      report(member.place, `${quote(name)} is not ${modelName.expects}.`);
    }
    const model = readModel(member.node, report);
    if (model !== undefined) models.set(name, { ...model, source: describeSpot(member.place) });
  }
  return models;
}

export function readModel(node: FileNode, report: Report): ModelDraft | undefined {
  const form = openForm(node, FIELDS, report);
  if (form === undefined) return undefined;
  const rates = readRates(form, report);
  const contextTokens = form.optional("context", tokens);
  const maxOutputTokens = form.optional("max_output", tokens);
  const limits = readLimits(form, report);
  return {
    ...(rates === undefined ? {} : { rates }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(limits === undefined ? {} : { limits }),
  };
}

/** Half a price would make the other half free, so whoever gives one gives both. */
export function readRates(form: Form, report: Report): Rates | undefined {
  const rates = RATES.map((name) => form.optional(name, usdPerMillion));
  const [input, output, cachedInput, cacheWrite, audioInput, audioOutput] = rates;
  if (!RATES.some((name) => form.find(name) !== undefined)) return undefined;

  for (const name of ["input", "output"]) {
    if (form.find(name) === undefined) {
      report(form.place, `"${name}" is missing; a price needs input and output, 0 where free.`);
    }
  }
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cachedInput === undefined ? {} : { cachedInput }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(audioInput === undefined ? {} : { audioInput }),
    ...(audioOutput === undefined ? {} : { audioOutput }),
  };
}
