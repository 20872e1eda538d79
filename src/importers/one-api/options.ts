import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import type { Row } from "../row.ts";

const DEFAULT_UNITS = 500_000;

/** The changed options of an installation, as text by name. */
export class Options {
  readonly #values: ReadonlyMap<string, string>;

  constructor(rows: readonly Row[]) {
    this.#values = new Map(
      rows.flatMap((row) => {
        const [key, value] = [row.text("key"), row.text("value")];
        return key === undefined || value === undefined ? [] : [[key, value] as const];
      }),
    );
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  text(name: string): string | undefined {
    return this.#values.get(name);
  }

  isOn(name: string): boolean {
    return this.#values.get(name) === "true";
  }

  number(name: string): number | undefined {
    const value = Number(this.#values.get(name));
    return Number.isFinite(value) ? value : undefined;
  }

  object(name: string): JsonObject | undefined {
    const value = parseJson(this.#values.get(name) ?? "");
    return isObject(value) ? value : undefined;
  }

  /** Numbers by name; undefined if the option was never changed. */
  numbers(name: string): ReadonlyMap<string, number> | undefined {
    const value = this.object(name);
    if (value === undefined) return undefined;
    return new Map(
      Object.entries(value).flatMap(([key, each]) =>
        typeof each === "number" ? [[key, each] as const] : [],
      ),
    );
  }

  /** Units of quota in a dollar. */
  get unitsPerDollar(): number {
    const units = this.number("QuotaPerUnit") ?? 0;
    return units > 0 ? units : DEFAULT_UNITS;
  }
}
