import type { Value, Values } from "../tables/columns.ts";

/**
 * Rows as one PostgreSQL array literal per column, the parameters of a
 * statement for any number of rows.
 */
export class ArrayColumns {
  readonly #literals: string[];
  #rows = 0;

  constructor(columns: number) {
    this.#literals = Array.from({ length: columns }, () => "");
  }

  get rows(): number {
    return this.#rows;
  }

  add(values: Values): void {
    const separator = this.#rows === 0 ? "{" : ",";
    const literals = this.#literals;
    for (let column = 0; column < literals.length; column++) {
      literals[column] += separator + element(values[column]);
    }
    this.#rows++;
  }

  /** Adds the parameters in the order of the columns. */
  addTo(parameters: string[]): void {
    for (const literal of this.#literals) parameters.push(this.#rows === 0 ? "{}" : `${literal}}`);
  }
}

function element(value: Value | undefined): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "number") return String(value);
  return `"${SPECIAL.test(value) ? value.replace(ALL_SPECIAL, String.raw`\$&`) : value}"`;
}

const SPECIAL = /["\\]/;
const ALL_SPECIAL = /["\\]/g;
