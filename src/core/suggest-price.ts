import type { Model } from "./model.ts";
import type { Price } from "./money.ts";

/** A model with a price that may apply to another model. */
interface PriceSuggestion {
  readonly model: Model & { readonly price: Price };
  /** From 0 to 1; 1 for the same name. */
  readonly likeness: number;
}

const LEAST_LIKENESS = 0.5;
/** Equal names first; then the own provider's row, then the newest price. */
const OWN_PROVIDER = 0.01;

/**
 * The catalogue's row with the nearest name and a price. Only a row of the same family is near:
 * the first word of both names is the same.
 */
export function suggestPrice(
  name: string,
  provider: string,
  rows: Iterable<Model>,
): PriceSuggestion | undefined {
  const wanted = partsOf(name);
  let best: (PriceSuggestion & { readonly rank: number }) | undefined;
  for (const row of rows) {
    const { price } = row;
    if (price === undefined) continue;
    const names = [row.id, ...(row.aliases ?? [])];
    const likeness = Math.max(...names.map((each) => likenessOf(wanted, partsOf(each))));
    if (likeness < LEAST_LIKENESS) continue;
    const rank = likeness + (row.owner === provider ? OWN_PROVIDER : 0);
    const isNearer =
      best === undefined ||
      rank > best.rank ||
      (rank === best.rank && price.date > best.model.price.date);
    if (isNearer) best = { model: { ...row, price }, likeness, rank };
  }
  return best && { model: best.model, likeness: best.likeness };
}

/** `meta/Llama3.1-8B:free` is `llama 3 1 8 b`; days in a name do not tell models apart. */
function partsOf(name: string): readonly string[] {
  const plain = name
    .toLowerCase()
    .slice(name.lastIndexOf("/") + 1)
    .replace(/:.*$/, "")
    .replaceAll(/(?<!\d)20\d{2}-?[01]\d-?[0-3]\d(?!\d)/g, "");
  return plain.match(/[a-z]+|\d+/g) ?? [];
}

/** The share of parts that both have in the same order. */
function likenessOf(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || one[0] !== other[0]) return 0;
  return (2 * commonParts(one, other)) / (one.length + other.length);
}

/** Length of the longest common subsequence. */
function commonParts(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, () => 0);
  for (const part of one) {
    const next = [0];
    for (const [at, each] of other.entries()) {
      const longest = Math.max(row[at + 1] ?? 0, next[at] ?? 0);
      next.push(each === part ? (row[at] ?? 0) + 1 : longest);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
