/** A row of a table that describes one name: a setting, a code, a metric, a header. */
interface NamedRow {
  readonly name: string;
  readonly text: string;
}

const ROW = /^\| `([\w.-]+)` \|(.*)\|$/gm;

/** The rows of a page's tables, each name once. */
export function namedRowsIn(markdown: string): readonly NamedRow[] {
  const rows = [...markdown.matchAll(ROW)].map(([, name = "", text = ""]) => ({ name, text }));
  return rows.filter(({ name }, at) => rows.findIndex((each) => each.name === name) === at);
}
