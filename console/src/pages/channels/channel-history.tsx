import { lazy, Suspense, useMemo } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { count, milliseconds } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { CHANNEL_TEXTS } from "./texts.ts";

const Chart = lazy(async () => ({ default: (await import("../../ui/chart.tsx")).Chart }));

/** Attempts, failures and latencies of the last hours, by the minute. */
export function ChannelHistory({ id }: { readonly id: string }) {
  const t = useTexts(CHANNEL_TEXTS);
  const history = hooks.useQuery("get", "/api/channel/{id}/history", {
    params: { path: { id } },
  });
  const items = history.data?.data.items;
  const charts = useMemo(() => {
    if (items === undefined) return undefined;
    return {
      times: items.map(({ minute }) => minute),
      counts: [
        { label: t.attempts, color: "accent", values: items.map(({ attempts }) => attempts) },
        { label: t.failed, color: "bad", values: items.map(({ failed }) => failed) },
      ],
      latencies: [
        { label: t.p50, color: "accent", values: items.map((each) => each.first_byte_p50_ms) },
        { label: t.p95, color: "warn", values: items.map((each) => each.first_byte_p95_ms) },
      ],
    };
  }, [items, t]);
  if (history.error !== null) return <Problem error={history.error} />;
  if (charts === undefined || charts.times.length === 0)
    return <p className="text-muted text-sm">–</p>;
  return (
    <Suspense>
      <Chart
        label={`${t.attempts}, ${t.failed}`}
        times={charts.times}
        series={charts.counts}
        format={count}
        shape="bars"
        height={160}
      />
      <Chart
        label={t.firstByte}
        times={charts.times}
        series={charts.latencies}
        format={milliseconds}
        height={160}
      />
    </Suspense>
  );
}
