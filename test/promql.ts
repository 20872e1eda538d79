/** One use of a metric in a query. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly {
    readonly label: string;
    readonly how: string;
    readonly value: string;
  }[];
}

interface Sample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

const STRINGS = /"(?:[^"\\]|\\.)*"/g;
/** Names that a query may contain besides metrics, labels and functions with parentheses. */
const WORDS = new Set([
  "by",
  "without",
  "on",
  "ignoring",
  "group_left",
  "group_right",
  "and",
  "or",
  "unless",
]);

/** The metrics that a query reads, with the values that it wants of their labels. */
export function selectorsIn(query: string): readonly Selector[] {
  const found: Selector[] = [];
  for (const match of query.matchAll(
    /\b([a-z_]\w*)\b(\s*\{([^}]*)\})?(\s*\(|\s+(?:by|without)\b)?/gi,
  )) {
    const [, name = "", , inside = "", call] = match;
    if (call !== undefined || WORDS.has(name) || isInside(query, match.index)) continue;
    const matchers = [...inside.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label = "", how = "", value = ""]) => ({ label, how, value }),
    );
    found.push({ metric: name, matchers });
  }
  return found;
}

/** The labels by which a query groups. */
export function groupingsIn(query: string): readonly string[] {
  return [...query.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(
    ([, names = ""]) => names.split(",").map((name) => name.trim()),
  );
}

/** A position within a string, braces, a range, or a list of labels. */
function isInside(query: string, position: number): boolean {
  const before = query.slice(0, position).replaceAll(STRINGS, (text) => " ".repeat(text.length));
  if ((before.match(/"/g) ?? []).length % 2 === 1) return true;
  if (before.lastIndexOf("{") > before.lastIndexOf("}")) return true;
  if (before.lastIndexOf("[") > before.lastIndexOf("]")) return true;
  return /\b(?:by|without|on|ignoring)\s*\([^)]*$/.test(before);
}

export function samplesIn(text: string): readonly Sample[] {
  return text.split("\n").flatMap((line) => {
    const match = /^([a-z_]\w*)(?:\{(.*)\})? \S+$/i.exec(line);
    if (match === null) return [];
    const [, metric = "", inside = ""] = match;
    const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, label = "", value = ""]) => [label, value] as const,
    );
    return [{ metric, labels: Object.fromEntries(labels) }];
  });
}

/** The samples that a selector reads. A label that the metric lacks fits nothing. */
export function select(
  samples: readonly Sample[],
  { metric, matchers }: Selector,
): readonly Sample[] {
  return samples.filter(
    (sample) =>
      sample.metric === metric &&
      matchers.every(({ label, how, value }) => {
        const actual = sample.labels[label];
        if (actual === undefined) return false;
        const fits = how.endsWith("~")
          ? new RegExp(`^(?:${value})$`).test(actual)
          : actual === value;
        return how.startsWith("!") ? !fits : fits;
      }),
  );
}
