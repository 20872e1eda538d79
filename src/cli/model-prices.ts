import { defined } from "#lib/values.ts";
import { listing, type Verb, type Words } from "./command.ts";

/** Verbs that set the price and the abilities of a model, instead of the catalogue's. */
export const MODEL_PRICES: readonly Verb[] = [
  {
    usage: "set <name>",
    doc: "sets a model's prices in dollars per million tokens, and its abilities, instead of earlier ones; --set gives further fields of the API as JSON",
    options: {
      input: "<usd>",
      output: "<usd>",
      source: "<text>",
      date: "<day>",
      context: "<n>",
      like: "<name>",
      set: "<json|@file>",
    },
    ask: async (words) => ({
      method: "PUT",
      path: modelPath(words),
      body: {
        ...defined({
          input: words.text("input"),
          output: words.text("output"),
          source: words.text("source"),
          date: words.text("date"),
          context: words.count("context"),
          like: words.text("like"),
        }),
        ...(await words.object("set")),
      },
    }),
    show: listing,
  },
  {
    usage: "unset <name>",
    doc: "removes a model's own prices and abilities: the catalogue applies again",
    ask: (words) => ({ method: "DELETE", path: modelPath(words) }),
    show: listing,
  },
];

function modelPath(words: Words): string {
  const name = words.one("the name of a model");
  return `/api/model/${name.split("/").map(encodeURIComponent).join("/")}`;
}
