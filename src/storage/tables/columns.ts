/**
 * The columns of a table that is written in bulk, in the order of its values.
 * Only texts and integers are used, so that both engines store the same: JSON
 * as text, a boolean as 0 or 1, an instant as milliseconds.
 */
export type Columns<Table> = { readonly [Column in keyof Table]-?: "text" | "bigint" };

export type Value = string | number | null;

/** A row as values, in the order of its table's `Columns`. */
export type Values = readonly Value[];

export function namesOf<Table>(columns: Columns<Table>): (keyof Table & string)[] {
  const names: (keyof Table & string)[] = [];
  for (const name in columns) names.push(name);
  return names;
}

/** A number that a strict integer column accepts, for any input from a clock or a vendor. */
export function whole(value: number): number {
  return Number.isFinite(value) ? Math.round(value) : 0;
}

const MAX_TEXT_CHARS = 1_000;

/**
 * An external text that a column accepts: PostgreSQL rejects NUL, and the
 * journal limits the length.
 */
export function text(value: string): string {
  const short = value.length > MAX_TEXT_CHARS ? value.slice(0, MAX_TEXT_CHARS) : value;
  return short.includes("\0") ? short.replaceAll("\0", "\ufffd") : short;
}

export function textOrNull(value: string | null): string | null {
  return value === null ? null : text(value);
}
