import type { Setting } from "#config.ts";

/** A setting that is written under a name it no longer has. It still takes effect. */
export interface FormerName {
  /** As it was written: a variable, or a path in the file. */
  readonly written: string;
  readonly now: string;
}

/** For people. */
export function describeFormerName({ written, now }: FormerName): string {
  return `${written} is now called ${now}. The former name works until the next minor version.`;
}

/** The current name of every former path, of the rows that have one. */
export function currentPaths(rows: readonly Setting<unknown>[]): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap(({ path, formerly }) =>
      path === undefined || formerly === undefined ? [] : [[formerly.path, path] as const],
    ),
  );
}

/**
 * Values under current names; a value under a current name wins over one
 * under the name's former form.
 */
export function underCurrentNames<T>(
  values: ReadonlyMap<string, T>,
  rows: readonly Setting<unknown>[],
): ReadonlyMap<string, T> {
  const current = currentPaths(rows);
  const renamed = [...values].filter(([name]) => current.has(name));
  if (renamed.length === 0) return values;
  const kept = [...values].filter(([name]) => !current.has(name));
  return new Map([
    ...renamed.map(([name, value]) => [current.get(name) ?? name, value] as const),
    ...kept,
  ]);
}
