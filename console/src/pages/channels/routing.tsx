import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api, type Schemas } from "../../api/client.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Input, Select } from "../../ui/field.tsx";
import { count, percent } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { ROUTING_TEXTS } from "./routing-texts.ts";

type Explanation = Schemas["Explanation"];
type Explained = Explanation["channels"][number];

const STYLES = ["chat", "responses", "messages", "completions"] as const;
type Style = (typeof STYLES)[number];

/** The channels of a model in the order of attempts, and those that are passed over. */
export function Routing({ models }: { readonly models: readonly string[] }) {
  const t = useTexts(ROUTING_TEXTS);
  const list = useId();
  const [params, setParams] = useQueryState();
  const model = params.get("model") ?? "";
  const style = STYLES.find((each) => each === params.get("style")) ?? "chat";
  const [typed, setTyped] = useState(model);
  const explained = useQuery({
    queryKey: ["routing", model, style],
    enabled: model !== "",
    retry: false,
    queryFn: () => explain(model, style),
  });
  const { data } = explained;
  return (
    <>
      <form
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === model) void explained.refetch();
          else setParams({ model: typed.trim() });
        }}
      >
        <Input
          aria-label={t.model}
          placeholder={t.model}
          list={list}
          required
          spellCheck={false}
          className="w-64"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <datalist id={list}>
          {models.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Select
          aria-label={t.style}
          className="w-36"
          value={style}
          onChange={(event) => setParams({ style: event.target.value })}
          choices={STYLES.map((value) => ({ value, label: value }))}
        />
        <Button type="submit" look="main" busy={explained.isFetching}>
          {t.show}
        </Button>
        <span className="text-muted text-xs">{t.hint}</span>
      </form>
      {explained.error !== null && <Problem error={explained.error} />}
      {data !== undefined && data.refused !== null && (
        <p role="status" className="border-warn bg-warn-soft rounded-md border px-3 py-2 text-sm">
          <span className="font-medium">{t.refused}:</span> {data.refused.message}
        </p>
      )}
      {data !== undefined && (
        <Table
          label={t.label}
          columns={columnsOf(data.channels, t)}
          rows={data.channels}
          rowKey={({ name, model: upstream }) => `${name} ${upstream}`}
          href={({ name }) => `/channels/${encodeURIComponent(name)}`}
          empty={<Empty title={t.none} />}
        />
      )}
    </>
  );
}

async function explain(model: string, style: Style): Promise<Explanation | undefined> {
  const { data } = await api.POST("/api/channel/explain", { body: { model, style } });
  return data?.data;
}

function columnsOf(
  channels: readonly Explained[],
  t: Translated<typeof ROUTING_TEXTS.en>,
): readonly Column<Explained>[] {
  return [
    { name: "channel", label: t.channel, width: "14rem", cell: ({ name }) => name },
    {
      name: "order",
      label: t.order,
      width: "4rem",
      align: "end",
      cell: (channel) =>
        isTried(channel) ? count(channels.filter(isTried).indexOf(channel) + 1) : "–",
    },
    {
      name: "priority",
      label: t.priority,
      width: "6rem",
      align: "end",
      cell: ({ priority }) => count(priority),
    },
    {
      name: "share",
      label: <span title={t.shareHint}>{t.share}</span>,
      width: "6rem",
      align: "end",
      cell: (channel) => percent(shareOf(channel, channels)),
    },
    {
      name: "upstream",
      label: t.upstream,
      cell: ({ model, pattern }) =>
        pattern === undefined ? model : `${model} (${t.pattern(pattern)})`,
    },
    { name: "way", label: t.way, width: "12rem", cell: (channel) => wayText(channel, t) },
    {
      name: "state",
      label: t.state,
      width: "20rem",
      cell: (channel) => <State channel={channel} t={t} />,
    },
  ];
}

function isTried({ way, refused }: Explained): boolean {
  return way !== undefined && refused === null;
}

/** The part of the calls that its priority serves; undefined if it takes none. */
function shareOf(channel: Explained, all: readonly Explained[]): number | undefined {
  if (channel.passed_over !== null) return undefined;
  const sum = all
    .filter(({ priority, passed_over }) => priority === channel.priority && passed_over === null)
    .reduce((total, { weight }) => total + weight, 0);
  return channel.weight / sum;
}

function wayText(
  { way, style, lost = [] }: Explained,
  t: Translated<typeof ROUTING_TEXTS.en>,
): string {
  if (way === undefined) return "–";
  const ways: Readonly<Record<string, string>> = t.ways;
  const text = [ways[way] ?? way, style].filter(Boolean).join(", ");
  return lost.length === 0 ? text : `${text}, ${t.lost(lost.join(", "))}`;
}

function State({
  channel,
  t,
}: {
  readonly channel: Explained;
  readonly t: Translated<typeof ROUTING_TEXTS.en>;
}) {
  const { passed_over: reason, refused } = channel;
  const reasons: Readonly<Record<string, string>> = t.passedOver;
  const known = reasons[reason === "resting" ? "circuitOpen" : (reason ?? "")];
  if (reason !== null) return <Badge tone="warn">{known ?? t.otherReason(reason)}</Badge>;
  if (refused !== null) return <span title={refused.message}>{refused.message}</span>;
  return isTried(channel) ? <Badge tone="good">{t.tried}</Badge> : <Badge>{t.notTried}</Badge>;
}
