/** A foreign key from one table to another. */
export interface Reference {
  readonly tbl: string;
  readonly refers: string;
}

/** The tables, each after those that it refers to. */
export function orderByReference(
  names: readonly string[],
  references: readonly Reference[],
): readonly string[] {
  const ordered = new Set<string>();
  const add = (name: string, path: readonly string[]): void => {
    if (ordered.has(name) || path.includes(name) || !names.includes(name)) return;
    for (const { tbl, refers } of references) if (tbl === name) add(refers, [...path, name]);
    ordered.add(name);
  };
  for (const name of names) add(name, []);
  return [...ordered];
}
