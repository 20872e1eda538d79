import { useMemo } from "react";
import { useTexts } from "../../app/language.ts";
import { Chart, type Series } from "../../ui/chart.tsx";
import { count, money } from "../../ui/format.ts";
import type { Choice } from "./filters.ts";
import {
  isTime,
  measured,
  nameOf,
  startOf,
  timesBetween,
  valueOf,
  type Category,
  type Item,
  type Measure,
  type Report,
} from "./report.ts";
import { USAGE_TEXTS } from "./texts.ts";

const SHOWN_PARTS = 8;
const SHOWN_BARS = 20;

interface PartsProps {
  readonly choice: Choice;
  readonly measure: Measure;
  /** The sums by the first dimension, by the second, and by both. */
  readonly bars: Report;
  readonly parts: Report;
  readonly pairs: Report;
}

export interface Part {
  readonly value: string;
  readonly name: string;
  readonly color: string;
}

/** The parts that have a colour of their own: the largest ones. */
export function partsOf(report: Report, category: Category, measure: Measure): readonly Part[] {
  return report.items
    .toSorted((one, other) => measured(other, measure) - measured(one, measure))
    .slice(0, SHOWN_PARTS)
    .map((item, at) => ({
      value: valueOf(item, category),
      name: nameOf(item, category),
      color: `part-${at + 1}`,
    }));
}

/** Stacked bars: over time, or of one dimension in parts of another. */
export function Parts(props: PartsProps) {
  const { choice, measure, bars, parts, pairs } = props;
  const t = useTexts(USAGE_TEXTS);
  const format = measure === "cost" ? money : count;
  const { first, second } = choice;
  const { places, series } = useMemo(() => {
    const shown = partsOf(parts, second, measure);
    const keyOf = (item: Item): string =>
      isTime(first) ? String(startOf(item[first] ?? "")) : valueOf(item, first);
    const sums = new Map(
      pairs.items.map((item) => [
        `${keyOf(item)} ${valueOf(item, second)}`,
        measured(item, measure),
      ]),
    );
    const totals = new Map(bars.items.map((item) => [keyOf(item), measured(item, measure)]));
    const all = isTime(first)
      ? timesBetween(bars.from, bars.to, first).map((at) => ({ key: String(at), name: "" }))
      : bars.items
          .slice(0, SHOWN_BARS)
          .map((item) => ({ key: keyOf(item), name: nameOf(item, first) }));
    const rows: Series[] = shown.map(({ value, name, color }) => ({
      label: name || t.none,
      color,
      values: all.map(({ key }) => sums.get(`${key} ${value}`) ?? 0),
    }));
    const rest = all.map(({ key }, at) =>
      rows.reduce((left, { values }) => left - (values[at] ?? 0), totals.get(key) ?? 0),
    );
    const isAll = parts.items.length <= SHOWN_PARTS && parts.others === undefined;
    if (!isAll) {
      // Differences of decimals leave a trace below a billionth of a dollar.
      const values = rest.map((value) => (value < 1e-9 ? 0 : value));
      rows.push({ label: t.others, color: "part-9", values });
    }
    return { places: all, series: rows };
  }, [bars, parts, pairs, first, second, measure, t]);
  const times = useMemo(() => places.map(({ key }) => Number(key)), [places]);
  if (isTime(first)) {
    return (
      <div className="border-line bg-surface rounded-md border p-2">
        <Chart
          label={t.chart}
          shape="stack"
          isUtc
          times={times}
          series={series}
          format={format}
          height={220}
        />
      </div>
    );
  }
  return <Bars places={places} series={series} format={format} />;
}

function Bars({
  places,
  series,
  format,
}: {
  readonly places: readonly { readonly key: string; readonly name: string }[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}) {
  const t = useTexts(USAGE_TEXTS);
  const sumAt = (at: number): number =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
  const most = Math.max(...places.map((_, at) => sumAt(at)), 1e-12);
  return (
    <ul
      aria-label={t.bars}
      className="border-line bg-surface flex flex-col gap-1.5 rounded-md border p-3 text-sm"
    >
      {places.map(({ key, name }, at) => (
        <li key={key} className="flex items-center gap-2">
          <span className="w-32 shrink-0 truncate" title={name}>
            {name || t.none}
          </span>
          <span className="flex h-4 min-w-0 flex-1">
            {series.map(({ label, color, values }) => (
              <span
                key={color}
                title={`${label}: ${format(values[at] ?? 0)}`}
                style={{
                  width: `${((values[at] ?? 0) / most) * 100}%`,
                  backgroundColor: `var(--color-${color})`,
                }}
              />
            ))}
          </span>
          <span className="figures w-24 shrink-0 text-right">{format(sumAt(at))}</span>
        </li>
      ))}
      <li className="text-muted flex flex-wrap gap-x-4 pt-1 text-xs">
        {series.map(({ label, color }) => (
          <span key={color} className="flex items-center gap-1">
            <Swatch color={color} /> {label}
          </span>
        ))}
      </li>
    </ul>
  );
}

export function Swatch({ color }: { readonly color: string }) {
  return (
    <span
      aria-hidden
      className="inline-block size-2.5 shrink-0 rounded-sm"
      style={{ backgroundColor: `var(--color-${color})` }}
    />
  );
}
