import type { Setting } from "#config.ts";

/** A setting under a former name. It still takes effect. */
export interface FormerName {
  /** As written: a variable, or a path in the file. */
  readonly written: string;
  readonly now: string;
}

/** The message for the operator. */
export function describeFormerName({ written, now }: FormerName): string {
  return `${written} is now called ${now}. The former name works until the next minor version.`;
}

/** The current path of every former path. */
export function currentPaths(rows: readonly Setting<unknown>[]): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap(({ path, formerly }) =>
      path === undefined || formerly === undefined ? [] : [[formerly.path, path] as const],
    ),
  );
}

/**
 * Values under current names; a value under the current name takes precedence
 * over one under the former name.
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
