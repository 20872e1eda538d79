import type { Histogram } from "./histogram.ts";

type MetricType = "counter" | "gauge" | "histogram";

/** Writes metrics in the Prometheus text format, version 0.0.4. */
export class PrometheusText {
  #text = "";
  #name = "";

  /** Begins a metric. All its samples must follow before the next one. */
  metric(type: MetricType, name: string, help: string): this {
    this.#name = name;
    this.#text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
    return this;
  }

  /** `labels`: from `labelsOf`. */
  sample(value: number, labels = ""): this {
    this.#write(this.#name, labels, value);
    return this;
  }

  /** `scale`: factor from the unit of the values to the unit of the metric. */
  histogram({ bounds, counts, sum }: Histogram, scale: number, labels = ""): this {
    const comma = labels === "" ? "" : ",";
    let count = 0;
    for (const [index, each] of counts.entries()) {
      count += each;
      const bound = bounds[index];
      const le = bound === undefined ? "+Inf" : String(scaled(bound, scale));
      this.#write(`${this.#name}_bucket`, `${labels}${comma}le="${le}"`, count);
    }
    this.#write(`${this.#name}_sum`, labels, sum * scale);
    this.#write(`${this.#name}_count`, labels, count);
    return this;
  }

  toString(): string {
    return this.#text;
  }

  #write(name: string, labels: string, value: number): void {
    this.#text += labels === "" ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;
  }
}

/** The labels of a sample, without braces. */
export function labelsOf(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}="${escapeValue(value)}"`)
    .join(",");
}

/** Without the digits that a multiplication of decimal fractions adds. */
function scaled(bound: number, scale: number): number {
  return Number((bound * scale).toPrecision(12));
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
