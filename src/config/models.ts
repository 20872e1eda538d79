import type { GradedRates, Rates } from "#core/money.ts";
import {
  describeScale,
  parseRate,
  RATE_WORDS,
  readRates,
  type Scale,
  UNIT_WORDS,
  wholeRates,
  writeRate,
} from "#core/rate-words.ts";
import type { ModelDraft } from "#core/stored-routing.ts";
import { defined } from "#lib/values.ts";
import { isGrade } from "#core/usage.ts";
import { type Form, openForm } from "./form.ts";
import { readLimits } from "./limits.ts";
import { describeSpot, quote, type Report } from "./mistakes.ts";
import { modelName } from "./names.ts";
import { type Parser, wholeNumber } from "./parsers.ts";
import type { FileNode } from "./tree.ts";
import { readVariants } from "./variants.ts";

/** An override of the catalogue in the file. */
export interface ModelOverride extends ModelDraft {
  /** Its position in the file, for the journal of prices. */
  readonly source: string;
}

/** The field names of a price, in every document. */
export const PRICE_FIELDS = [...Object.keys(RATE_WORDS), "grades", "variants"];
const BASE_FIELDS = PRICE_FIELDS.filter((name) => name !== "variants");
const FIELDS = [...PRICE_FIELDS, "context", "max_output", "like", "limits"];
const MAX_GRADES = 100;

const dollars: Readonly<Record<Scale, Parser<number>>> = {
  million: rateIn("million"),
  one: rateIn("one"),
};

const tokens = wholeNumber(1, 100_000_000);

export function readModels(
  node: FileNode | undefined,
  report: Report,
): ReadonlyMap<string, ModelOverride> {
  const models = new Map<string, ModelOverride>();
  if (node?.kind === "text" || node?.kind === "list") {
    report(node.place, "is not a map from model names to their settings.");
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
  const rates = readPrice(form, report);
  const contextTokens = form.optional("context", tokens);
  const maxOutputTokens = form.optional("max_output", tokens);
  const like = form.optional("like", modelName);
  const limits = readLimits(form, report);
  return {
    ...(rates === undefined ? {} : { rates }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(like === undefined ? {} : { like }),
    ...(limits === undefined ? {} : { limits }),
  };
}

/** Undefined if no price is given or it is invalid. */
export function readPrice(form: Form, report: Report): GradedRates | undefined {
  const given = form.find("variants");
  const variants = readVariants(given, readRatesOf, report);
  if (!BASE_FIELDS.some((name) => form.find(name) !== undefined)) {
    if (given === undefined) return undefined;
    report(
      given.place,
      'changes a price that is not given here. Set "input" and "output" as well, or remove it.',
    );
    return undefined;
  }
  const said = readRatesOf(form);
  const grades = readGrades(form.find("grades"), report);
  const rates = wholeRates(said);
  const isPriced = UNIT_WORDS.some((name) => form.find(name) !== undefined);
  for (const name of isPriced ? [] : ["input", "output"]) {
    if (form.find(name) !== undefined) continue;
    const instead = UNIT_WORDS.join(", ");
    report(
      form.place,
      `"${name}" is missing; a price needs input and output (0 if free), or ${instead}.`,
    );
  }
  return rates && { ...rates, ...defined({ grades, variants }) };
}

function readRatesOf(form: Form): Partial<Rates> {
  return readRates((word, scale) => form.optional(word, dollars[scale]));
}

function readGrades(node: FileNode | undefined, report: Report): GradedRates["grades"] {
  if (node === undefined || node.kind === "broken") return undefined;
  if (node.kind !== "map" || node.members.size === 0) {
    report(node.place, "is not a map from kinds of result to prices.");
    return undefined;
  }
  if (node.members.size > MAX_GRADES) report(node.place, `has more than ${MAX_GRADES} entries.`);
  const grades = [...node.members].map(([grade, { place, node: item }]) => {
    if (!isGrade(grade)) report(place, `${quote(grade)} is not a valid kind of result.`);
    const form = openForm(item, Object.keys(RATE_WORDS), report);
    if (item.kind === "map" && item.members.size === 0) report(item.place, "has no price.");
    return [grade, form === undefined ? {} : readRatesOf(form)] as const;
  });
  return Object.fromEntries(grades);
}

function rateIn(scale: Scale): Parser<number> {
  return {
    expects: `a price in ${describeScale(scale)}`,
    shows: "always",
    parse: (text) => parseRate(text, scale),
    format: (rate) => writeRate(rate, scale),
  };
}
