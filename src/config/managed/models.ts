import type { ModelOverride } from "#core/model.ts";
import type { ModelDraft } from "#core/stored-routing.ts";
import { isDay } from "#lib/iso-date.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { ALWAYS, fields, isMap } from "../documents/fields.ts";
import { MODEL_FIELDS, modelOf } from "../documents/model.ts";
import { checkPrice, hasWholePrice } from "../documents/price.ts";
import type { Report } from "../mistakes.ts";
import { modelEntries } from "../models.ts";
import { parser, text } from "../parsers.ts";
import { readDocument } from "../read-document.ts";
import type { FileNode } from "../tree.ts";
import { limitFields } from "./limits.ts";
import { priceFields } from "./rates.ts";
import { reportOwned, type Section, type Terms, type Wanted } from "./section.ts";

const source = text(
  "text of 1 to 500 characters that says where the price was read",
  /^\s*\S[^]{0,499}$/,
);
const day = parser({
  ...text("a day such as 2030-12-31", /^.{10}$/),
  parse: (given) => (isDay(given) ? given : undefined),
});

/** A model of the document: its price has a source. */
const SOURCED_MODEL = fields({
  ...MODEL_FIELDS,
  source: source.schema.describe("Source of the price.").optional(),
  date: day.schema.describe("The day on which it was read; today if absent.").optional(),
})
  .superRefine(checkPrice, ALWAYS)
  .superRefine((given: unknown, context) => {
    if (!isMap(given)) return;
    if (Object.keys(given).length === 0) {
      context.addIssue({ code: "custom", message: "sets no property of the model." });
    }
    // An incomplete price is reported by itself.
    if ("source" in given || !hasWholePrice(given)) return;
    context.addIssue({ code: "custom", message: '"source" is missing.' });
  }, ALWAYS);

export const models: Section = {
  async load(stores) {
    const found = await stores.models.list();
    return new Map(
      found.map(({ name, override }) => [
        name,
        { fields: fieldsOf(override), delete: (on) => on.models.delete(name) },
      ]),
    );
  },

  read(node, stored, terms, report) {
    const wanted = new Map<string, Wanted>();
    for (const [name, { place, node: item }] of modelEntries(node, report)) {
      const override = readOverride(item, terms, report);
      const entry = { place, fields: override === undefined ? {} : fieldsOf(override) };
      reportOwned("models", name, entry, stored.get(name), terms, report);
      if (override === undefined) continue;
      wanted.set(name, { ...entry, save: (on) => on.models.put(name, override) });
    }
    return wanted;
  },

  write: (objects) => Object.fromEntries(objects),
};

function readOverride(item: FileNode, terms: Terms, report: Report): ModelOverride | undefined {
  const given = readDocument(SOURCED_MODEL, item, report);
  if (given === undefined) return undefined;
  const { source: from = "", date, ...model } = given;
  const today = new Date(terms.clock.now()).toISOString().slice(0, 10);
  return priced(modelOf(model), from, date ?? today);
}

function priced({ rates, ...said }: ModelDraft, from: string, date: string): ModelOverride {
  return rates === undefined ? said : { ...said, price: { ...rates, source: from, date } };
}

function fieldsOf(override: ModelOverride): JsonObject {
  const { price, contextTokens, maxOutputTokens, like, limits } = override;
  return {
    ...(price === undefined
      ? {}
      : { ...priceFields(price), source: price.source, date: price.date }),
    ...defined({ context: contextTokens, max_output: maxOutputTokens, like }),
    ...limitFields("limits", limits),
  };
}
