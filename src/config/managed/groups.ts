import { USUAL_FACTOR, type Group, type GroupChange } from "#core/group.ts";
import { MODEL_PATTERN } from "#core/key.ts";
import type { RateLimits } from "#core/limits.ts";
import { parseThousandths, writeThousandths, type GradedRates } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { type Form, openForm, readItems, readNode } from "../form.ts";
import { quote, type Report } from "../mistakes.ts";
import { PRICE_FIELDS, readPrice } from "../models.ts";
import { objectName } from "../names.ts";
import { type Parser, text, wholeNumber } from "../parsers.ts";
import { limitsOf } from "../limits.ts";
import { limitFields } from "./limits.ts";
import { priceFields } from "./rates.ts";
import { listed, numeral, readNamed, type Section, type StoredById, sorted } from "./section.ts";

const FIELDS = ["name", "models", "channels", "price_factor", "prices", "limits", "shared_limits"];
const LIMITS = ["rpm", "tpm", "concurrency"];
const MAX_ITEMS = 1_000;
const PAGE = 1_000;

const pattern = text('a model name, a prefix followed by *, or "*"', MODEL_PATTERN);
const bound = wholeNumber(1, 1_000_000_000);
const factor: Parser<number> = {
  expects: "a number from 0 to 100 of at most three decimals",
  shows: "always",
  parse: parseThousandths,
  format: writeThousandths,
};

/** The complete description of a group in a document. */
type Described = Pick<Group, "models" | "channels" | "priceFactor" | "limits" | "sharedLimits"> & {
  readonly prices: ReadonlyMap<string, GradedRates>;
};

export const groups: Section<StoredById> = {
  async load(stores) {
    const found: Group[] = [];
    for (;;) {
      const page = await stores.groups.list(found.at(-1)?.id ?? 0, PAGE);
      found.push(...page);
      if (page.length < PAGE) break;
    }
    return new Map(
      found.map((group) => [
        group.name,
        { id: group.id, fields: fieldsOf(group), delete: (on) => on.groups.delete(group.id) },
      ]),
    );
  },

  read: (node, stored, _, report) =>
    readNamed(node, FIELDS, report, (form, name) => {
      const described = readGroup(form, report);
      const id = stored.get(name)?.id;
      return {
        fields: fieldsOf(described),
        save: ({ groups: store }) =>
          id === undefined
            ? store.create({ name, ...changeTo(described) })
            : store.change(id, changeTo(described)),
      };
    }),

  write: listed,
};

function readGroup(form: Form, report: Report): Described {
  const models = readTexts(form, "models", pattern, report);
  const channels = readTexts(form, "channels", objectName, report);
  const limits = readBounds(form, "limits", report);
  const sharedLimits = readBounds(form, "shared_limits", report);
  return {
    ...(models === undefined ? {} : { models }),
    ...(channels === undefined ? {} : { channels }),
    priceFactor: form.optional("price_factor", factor) ?? USUAL_FACTOR,
    prices: readPrices(form, report),
    ...(limits === undefined ? {} : { limits }),
    ...(sharedLimits === undefined ? {} : { sharedLimits }),
  };
}

function readTexts(
  form: Form,
  name: string,
  parser: Parser<string>,
  report: Report,
): readonly string[] | undefined {
  const node = form.find(name);
  if (node === undefined) return undefined;
  const items = readItems(node, report, "leave it out to allow all.");
  if (items.length > MAX_ITEMS) report(node.place, `has more than ${MAX_ITEMS} entries.`);
  return items.flatMap((item) => readNode(item, parser, report) ?? []);
}

function readPrices(group: Form, report: Report): ReadonlyMap<string, GradedRates> {
  const node = group.find("prices");
  const prices = new Map<string, GradedRates>();
  if (node?.kind !== "map") {
    if (node !== undefined && node.kind !== "broken") {
      report(node.place, "is not a map from model names to prices.");
    }
    return prices;
  }
  if (node.members.size > MAX_ITEMS) report(node.place, `has more than ${MAX_ITEMS} entries.`);
  for (const [model, { place, node: price }] of node.members) {
    if (pattern.parse(model) === undefined || model.endsWith("*")) {
      report(place, `${quote(model)} is not a model's name.`);
    }
    const form = openForm(price, PRICE_FIELDS, report);
    const rates = form && readPrice(form, report);
    if (rates !== undefined) prices.set(model, rates);
    if (form !== undefined && !PRICE_FIELDS.some((name) => form.find(name) !== undefined)) {
      report(form.place, 'is not a price. Give it "input" and "output".');
    }
  }
  return prices;
}

function readBounds(form: Form, name: string, report: Report): RateLimits | undefined {
  const node = form.find(name);
  const limits = node && openForm(node, LIMITS, report);
  if (limits === undefined) return undefined;
  if (!LIMITS.some((each) => limits.find(each) !== undefined)) {
    report(limits.place, `has no limit. Set ${LIMITS.join(", ")}, or leave it out.`);
  }
  return limitsOf(
    limits.optional("rpm", bound),
    limits.optional("tpm", bound),
    limits.optional("concurrency", bound),
  );
}

function changeTo({ models, channels, limits, sharedLimits, ...rest }: Described): GroupChange {
  return {
    ...rest,
    models: models ?? null,
    channels: channels ?? null,
    limits: allOf(limits),
    sharedLimits: allOf(sharedLimits),
  };
}

function allOf({ requestsPerMinute, tokensPerMinute, concurrency }: RateLimits = {}) {
  return {
    requestsPerMinute: requestsPerMinute ?? null,
    tokensPerMinute: tokensPerMinute ?? null,
    concurrency: concurrency ?? null,
  };
}

function fieldsOf(group: Described): JsonObject {
  const { models, channels, priceFactor, prices, limits, sharedLimits } = group;
  const priced = sorted(prices).map(([model, rates]) => [model, priceFields(rates)] as const);
  return {
    ...(models === undefined ? {} : { models }),
    ...(channels === undefined ? {} : { channels }),
    ...(priceFactor === USUAL_FACTOR
      ? {}
      : { price_factor: numeral(writeThousandths(priceFactor)) }),
    ...(priced.length === 0 ? {} : { prices: Object.fromEntries(priced) }),
    ...limitFields("limits", limits),
    ...limitFields("shared_limits", sharedLimits),
  };
}
