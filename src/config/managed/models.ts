import type { ModelOverride } from "#core/model.ts";
import type { ModelDraft } from "#core/stored-routing.ts";
import { isDay } from "#lib/iso-date.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { openForm } from "../form.ts";
import { quote, type Report } from "../mistakes.ts";
import { readModel } from "../models.ts";
import { modelName } from "../names.ts";
import { type Parser, text } from "../parsers.ts";
import type { FileNode } from "../tree.ts";
import { limitFields } from "./limits.ts";
import { priceFields } from "./rates.ts";
import { reportOwned, type Section, type Terms, type Wanted, without } from "./section.ts";

const SOURCED = ["source", "date"];
const source = text(
  "text of 1 to 500 characters that says where the price was read",
  /^\s*\S[^]{0,499}$/,
);
const day: Parser<string> = {
  expects: "a day such as 2030-12-31",
  shows: "always",
  parse: (given) => (isDay(given) ? given : undefined),
  format: (given) => given,
};

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
    if (node.kind !== "map") {
      if (node.kind !== "broken")
        report(node.place, "is not a map from model names to their settings.");
      return wanted;
    }
    for (const [name, { place, node: item }] of node.members) {
      if (modelName.parse(name) === undefined) {
        report(place, `${quote(name)} is not ${modelName.expects}.`);
      }
      const override = readOverride(item, terms, report);
      if (override === undefined) continue;
      const entry = { place, fields: fieldsOf(override) };
      reportOwned("models", name, entry, stored.get(name), terms, report);
      wanted.set(name, { ...entry, save: (on) => on.models.put(name, override) });
    }
    return wanted;
  },

  write: (objects) => Object.fromEntries(objects),
};

function readOverride(item: FileNode, terms: Terms, report: Report): ModelOverride | undefined {
  const draft = readModel(without(item, SOURCED), report);
  if (draft === undefined || item.kind !== "map") return undefined;
  const sourced = new Map([...item.members].filter(([name]) => SOURCED.includes(name)));
  const form = openForm({ ...item, members: sourced }, SOURCED, report);
  if (item.members.size === 0) report(item.place, "sets no property of the model.");
  const from = draft.rates === undefined ? undefined : form?.required("source", source);
  const date = form?.optional("date", day);
  return priced(draft, from ?? "", date ?? new Date(terms.clock.now()).toISOString().slice(0, 10));
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
