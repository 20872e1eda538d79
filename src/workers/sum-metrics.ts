/** The samples of one metric in the Prometheus text format, by name and labels. */
interface Metric {
  readonly type: string;
  /** Lines `# HELP` and `# TYPE`. */
  readonly head: readonly string[];
  readonly samples: Map<string, number>;
}

type Combine = (left: number, right: number) => number;

/** Gauges without a meaningful sum. All other metrics are added. */
const NOT_ADDED: Readonly<Record<string, Combine>> = {
  sluice_build_info: Math.max,
  sluice_catalog_age_days: Math.max,
  sluice_channel_breaker: Math.max,
  sluice_database_up: Math.min,
  sluice_journal_export_lag_calls: Math.max,
  sluice_journal_export_lag_seconds: Math.max,
  sluice_redis_up: Math.min,
};

/** One text for the metrics of several processes. */
export function sumMetrics(texts: readonly string[]): string {
  const summed = new Map<string, Metric>();
  for (const text of texts) {
    for (const [name, metric] of readMetrics(text)) {
      const known = summed.get(name);
      if (known === undefined) summed.set(name, metric);
      else addSamples(known.samples, metric.samples, NOT_ADDED[name] ?? add);
    }
  }
  return writeMetrics(summed);
}

/** The counters of a process that ended, without its gauges. */
export function keepCounters(text: string): string {
  const all = [...readMetrics(text)];
  return writeMetrics(new Map(all.filter(([, { type }]) => type !== "gauge")));
}

function addSamples(
  into: Map<string, number>,
  samples: ReadonlyMap<string, number>,
  combine: Combine,
): void {
  for (const [key, value] of samples) {
    const before = into.get(key);
    into.set(key, before === undefined ? value : combine(before, value));
  }
}

function add(left: number, right: number): number {
  return left + right;
}

/** Reads the text of a process of this gateway: each metric begins with HELP and TYPE. */
function readMetrics(text: string): ReadonlyMap<string, Metric> {
  const metrics = new Map<string, Metric>();
  let help = "";
  let current: Metric | undefined;
  for (const line of text.split("\n")) {
    if (line.startsWith("# HELP ")) {
      help = line;
    } else if (line.startsWith("# TYPE ")) {
      const [, , name = "", type = ""] = line.split(" ");
      current = { type, head: [help, line], samples: new Map() };
      metrics.set(name, current);
    } else if (line !== "") {
      const end = line.lastIndexOf(" ");
      current?.samples.set(line.slice(0, end), Number(line.slice(end + 1)));
    }
  }
  return metrics;
}

function writeMetrics(metrics: ReadonlyMap<string, Metric>): string {
  const lines = [...metrics.values()].flatMap(({ head, samples }) => [
    ...head,
    ...[...samples].map(([key, value]) => `${key} ${value}`),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}
