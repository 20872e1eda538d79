import { parseThousandths, type PriceVariant, writeThousandths } from "#core/money.ts";
import { isHours, type PriceCondition, serviceTierOf, wordOf } from "#core/price-condition.ts";
import { RATE_WORDS } from "#core/rate-words.ts";
import type { Rates } from "#core/money.ts";
import { isDay } from "#lib/iso-date.ts";
import { defined } from "#lib/values.ts";
import { type Form, openForm, readNode } from "./form.ts";
import type { Report } from "./mistakes.ts";
import { type Parser, text, wholeNumber } from "./parsers.ts";
import type { FileNode } from "./tree.ts";

const MAX_VARIANTS = 100;
const MAX_WORDS = 32;
const CONDITIONS = [
  "service_tier",
  "speed",
  "region",
  "above_input_tokens",
  "from",
  "until",
  "hours",
];

/** Price variants: a list of `{ when, factor }`, or of `{ when }` with rates. */
export function readVariants(
  node: FileNode | undefined,
  readRates: (form: Form) => Partial<Rates>,
  report: Report,
): readonly PriceVariant[] | undefined {
  if (node === undefined || node.kind === "broken") return undefined;
  if (node.kind !== "list" || node.items.length === 0) {
    report(node.place, "is not a list of price variants.");
    return undefined;
  }
  if (node.items.length > MAX_VARIANTS)
    report(node.place, `has more than ${MAX_VARIANTS} variants.`);
  return node.items.flatMap((item) => readVariant(item, readRates, report) ?? []);
}

function readVariant(
  item: FileNode,
  readRates: (form: Form) => Partial<Rates>,
  report: Report,
): PriceVariant | undefined {
  const form = openForm(item, ["when", "factor", ...Object.keys(RATE_WORDS)], report);
  if (form === undefined) return undefined;
  const given = form.find("when");
  if (given === undefined) report(item.place, '"when" is missing.');
  const when = given && readCondition(given, report);
  const factor = form.optional("factor", factorOf);
  const rates = readRates(form);
  const hasRates = Object.keys(rates).length > 0;
  if (hasRates === (form.find("factor") !== undefined)) {
    report(item.place, "needs either a factor or prices.");
  }
  return when && { when, ...(hasRates ? { rates } : {}), ...defined({ factor }) };
}

function readCondition(node: FileNode, report: Report): PriceCondition | undefined {
  const form = openForm(node, CONDITIONS, report);
  if (form === undefined) return undefined;
  if (node.kind === "map" && node.members.size === 0) {
    report(node.place, `has no condition. Use ${CONDITIONS.join(", ")}.`);
  }
  return defined({
    serviceTiers: oneOrMore(form, "service_tier", tier, report),
    speeds: oneOrMore(form, "speed", word, report),
    regions: oneOrMore(form, "region", word, report),
    aboveInputTokens: form.optional("above_input_tokens", wholeNumber(1, 100_000_000)),
    from: form.optional("from", day),
    until: form.optional("until", day),
    hours: oneOrMore(form, "hours", hours, report),
  });
}

/** A single value is a list of one. */
function oneOrMore(
  form: Form,
  name: string,
  parser: Parser<string>,
  report: Report,
): readonly string[] | undefined {
  const node = form.find(name);
  if (node?.kind !== "list") {
    const one = form.optional(name, parser);
    return one === undefined ? undefined : [one];
  }
  if (node.items.length === 0 || node.items.length > MAX_WORDS) {
    report(node.place, `must have 1 to ${MAX_WORDS} items.`);
  }
  return node.items.flatMap((item) => readNode(item, parser, report) ?? []);
}

const tier: Parser<string> = {
  ...text("a service tier such as flex", /^.{1,40}$/),
  parse: serviceTierOf,
};

const word: Parser<string> = { ...text("a word of the vendor", /^.{1,40}$/), parse: wordOf };

const day: Parser<string> = {
  ...text("a day such as 2026-11-30", /^.{10}$/),
  parse: (said) => (isDay(said) ? said : undefined),
};

const hours: Parser<string> = {
  ...text("hours of the day in UTC such as mon-fri 01:00-04:00", /^.{1,40}$/),
  parse: (said) => (isHours(said) ? said : undefined),
};

const factorOf: Parser<number> = {
  expects: "a factor of at most 100 with three decimals",
  shows: "always",
  parse: parseThousandths,
  format: writeThousandths,
};
