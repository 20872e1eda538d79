import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { locale } from "../app/language.ts";
import { exactTime } from "./format.ts";

const DAY_SECONDS = 86_400;

/** A time under the axis; days if the marks are days apart. */
function labelOf(at: number, step: number, isUtc: boolean): string {
  const format: Intl.DateTimeFormatOptions =
    step >= DAY_SECONDS
      ? { month: "short", day: "numeric" }
      : { hour: "2-digit", minute: "2-digit" };
  const zone = isUtc ? { timeZone: "UTC" } : {};
  return new Intl.DateTimeFormat(locale(), { ...format, ...zone }).format(at * 1_000);
}

/** Each series on top of those after it, so that the first is drawn behind all. */
function stacked(series: readonly Series[]): readonly (readonly (number | null)[])[] {
  const sums: number[] = [];
  const rows = series.toReversed().map(({ values }) =>
    values.map((value, at) => {
      const sum = (sums[at] ?? 0) + (value ?? 0);
      sums[at] = sum;
      return sum;
    }),
  );
  return rows.toReversed();
}

export interface Series {
  readonly label: string;
  /** One value for each time; null where there is none. */
  readonly values: readonly (number | null)[];
  /** The name of a colour token, such as `accent`. */
  readonly color: string;
}

interface ChartProps {
  readonly label: string;
  /** Unix seconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** `bars`: sums of periods; `stack`: such sums in parts; `lines`: measures. */
  readonly shape?: "lines" | "bars" | "stack";
  /** Whether times are whole hours, days or months of UTC. */
  readonly isUtc?: boolean;
  readonly height?: number;
}

/** A chart over time, in the colours of the theme. The table beside it has the same figures. */
export function Chart({
  label,
  times,
  series,
  format,
  shape = "lines",
  isUtc = false,
  height = 200,
}: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const styles = getComputedStyle(element);
    const probe = document.createElement("span");
    element.append(probe);
    const colorOf = (token: string): string => {
      probe.style.color = `var(--color-${token})`;
      return getComputedStyle(probe).color;
    };
    const axis: uPlot.Axis = {
      stroke: colorOf("muted"),
      grid: { stroke: colorOf("line"), width: 1 },
      ticks: { stroke: colorOf("line"), width: 1 },
      font: `11px ${styles.fontFamily}`,
    };
    const values = shape === "stack" ? stacked(series) : series.map((each) => each.values);
    const bars = shape !== "lines" ? uPlot.paths.bars?.({ size: [0.8, 40] }) : undefined;
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        ...(isUtc ? { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1_000), "Etc/UTC") } : {}),
        series: [
          {
            label: "\u00a0",
            value: (_: uPlot, at: number | null) =>
              at === null
                ? ""
                : isUtc
                  ? `${new Date(at * 1_000).toISOString().slice(0, 16).replace("T", " ")} UTC`
                  : exactTime(at),
          },
          ...series.map(({ label: name, color, values: own }) => ({
            label: name,
            stroke: colorOf(color),
            fill: shape !== "lines" ? colorOf(color) : undefined,
            width: 1.5,
            points: { show: false },
            value: (_: uPlot, drawn: number | null, __: number, at: number | null) => {
              // A part of a stack is drawn up to the sum below it.
              const value = shape === "stack" && at !== null ? (own[at] ?? null) : drawn;
              // Without a time under the cursor, the legend names the series alone.
              if (at === null) return "";
              return value === null ? "–" : format(value);
            },
            ...(bars === undefined ? {} : { paths: bars }),
          })),
        ] as uPlot.Series[],
        axes: [
          {
            ...axis,
            values: (_, splits, __, ___, step) => splits.map((at) => labelOf(at, step, isUtc)),
          },
          { ...axis, size: 64, values: (_, values) => values.map(format) },
        ],
        scales: { y: { range: (_, __, max) => [0, max <= 0 ? 1 : max * 1.05] } },
      },
      [times, ...values] as uPlot.AlignedData,
      element,
    );
    probe.remove();
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [times, series, format, shape, isUtc, height]);
  return <div ref={box} role="img" aria-label={label} className="min-w-0 overflow-hidden" />;
}
