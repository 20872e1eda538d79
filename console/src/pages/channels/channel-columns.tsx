import type { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { count, milliseconds, money, percent } from "../../ui/format.ts";
import type { Column } from "../../ui/table.tsx";
import { modelNamesOf, type Channel } from "./channel.ts";
import { Health } from "./health.tsx";
import type { CHANNEL_TEXTS } from "./texts.ts";

type Texts = ReturnType<typeof useTexts<typeof CHANNEL_TEXTS.en>>;

export interface TestResult {
  readonly name: string;
  readonly ok: boolean;
  readonly trouble: string | null;
  readonly probes: readonly { readonly message: string | null; readonly fault: string | null }[];
}
export type Results = ReadonlyMap<string, TestResult>;

/** Only stored channels can be changed here, so only those can be ticked. */
export function tickColumn(
  t: Texts,
  ticked: ReadonlySet<number>,
  setTicked: (ticked: ReadonlySet<number>) => void,
  shown: readonly Channel[],
): Column<Channel> {
  const ids = shown.flatMap(({ id }) => id ?? []);
  const isAll = ids.length > 0 && ids.every((id) => ticked.has(id));
  return {
    name: "tick",
    label: (
      <input
        type="checkbox"
        aria-label={t.tickAll}
        className="accent-accent size-4"
        disabled={ids.length === 0}
        checked={isAll}
        onChange={() => setTicked(new Set(isAll ? [] : ids))}
      />
    ),
    width: "2.25rem",
    isControl: true,
    cell: ({ id, name }) =>
      id !== null && (
        <input
          type="checkbox"
          aria-label={t.tick(name)}
          className="accent-accent size-4"
          checked={ticked.has(id)}
          onChange={() => {
            const next = new Set(ticked);
            if (!next.delete(id)) next.add(id);
            setTicked(next);
          }}
        />
      ),
  };
}

export function resultColumn(t: Texts, results: Results): Column<Channel> {
  return {
    name: "result",
    label: t.result,
    width: "12rem",
    cell: ({ name }) => {
      const result = results.get(name);
      if (result === undefined) return "–";
      if (result.probes.length === 0) return t.notTested;
      const failed = result.probes.find(({ fault }) => fault !== null);
      if (failed === undefined) return <Badge tone="good">{t.passed}</Badge>;
      const reason = failed.message ?? failed.fault ?? t.failed;
      return <span title={reason}>{reason}</span>;
    },
  };
}

export function channelColumns(t: Texts): readonly Column<Channel>[] {
  return [
    { name: "name", label: t.name, width: "12rem", cell: ({ name }) => name },
    {
      name: "vendor",
      label: t.vendor,
      width: "7rem",
      from: "sm",
      cell: ({ provider }) => provider,
    },
    {
      name: "health",
      label: t.health,
      width: "6.5rem",
      cell: (channel) => <Health health={channel.health} />,
    },
    {
      name: "success",
      label: t.success,
      width: "6.5rem",
      align: "end",
      cell: ({ health }) => percent(health.last_24_hours.success_rate),
    },
    {
      name: "firstByte",
      label: t.firstByte,
      width: "9.5rem",
      align: "end",
      cell: ({ health: { last_24_hours: day } }) =>
        day.first_byte_p50_ms === null
          ? "–"
          : `${milliseconds(day.first_byte_p50_ms)} / ${milliseconds(day.first_byte_p95_ms)}`,
    },
    {
      name: "inFlight",
      label: t.inFlight,
      width: "6rem",
      align: "end",
      cell: ({ in_flight, max_concurrent }) =>
        max_concurrent === null
          ? count(in_flight)
          : `${count(in_flight)} / ${count(max_concurrent)}`,
    },
    {
      name: "spend",
      label: t.spend,
      width: "6.5rem",
      align: "end",
      cell: ({ health }) => money(health.spend_today_usd),
    },
    {
      name: "models",
      label: t.models,
      from: "xl",
      cell: (channel) => modelNamesOf(channel)?.join(", ") ?? t.allModels,
    },
    {
      name: "tags",
      label: t.tags,
      width: "7rem",
      from: "xl",
      cell: ({ tags }) => tags.map((tag) => <Badge key={tag}>{tag}</Badge>),
    },
  ];
}
