import { Plus } from "lucide-react";
import { useState } from "react";
import { useLocation, useRoute } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Input, Select } from "../../ui/field.tsx";
import { count, milliseconds, money, percent } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { AddChannel } from "./add-channel.tsx";
import { BulkBar, type Target } from "./bulk-bar.tsx";
import { ChannelDrawer } from "./channel-drawer.tsx";
import { modelNamesOf, STATES, type Channel } from "./channel.ts";
import { Health } from "./health.tsx";
import { Routing } from "./routing.tsx";
import { CHANNEL_TEXTS } from "./texts.ts";

const POLL_MS = 10_000;

type Texts = ReturnType<typeof useTexts<typeof CHANNEL_TEXTS.en>>;
interface TestResult {
  readonly name: string;
  readonly ok: boolean;
  readonly trouble: string | null;
  readonly probes: readonly { readonly message: string | null; readonly fault: string | null }[];
}
type Results = ReadonlyMap<string, TestResult>;

/** All channels with their health, or the routing of one model. */
export function Page() {
  const t = useTexts(CHANNEL_TEXTS);
  const mayChange = isAtLeast(useUser().role, "admin");
  const [params, setParams] = useQueryState();
  const [opened, place] = useRoute("/channels/:name");
  const [, navigate] = useLocation();
  const [isAdding, setAdding] = useState(false);
  const channels = hooks.useQuery("get", "/api/channel", {}, { refetchInterval: POLL_MS });
  const testAll = hooks.useMutation("post", "/api/channel/test", {
    onSuccess: ({ data }) =>
      toast(t.tested(count(data.tested), count(data.failed)), data.failed > 0 ? "bad" : "good"),
  });
  const all = channels.data?.data.items;
  const results: Results = new Map(testAll.data?.data.items.map((each) => [each.name, each]));
  const shown = all?.filter((channel) => isWanted(channel, params, results));
  const isRouting = params.get("tab") === "routing" && opened !== true;
  const tags = [...new Set(all?.flatMap((each) => each.tags))].sort();
  const wantedTags = tagsIn(params);
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const target = targetOf(ticked, all, wantedTags);
  const search = params.size === 0 ? "" : `?${params}`;
  const current = all?.find(({ name }) => name === decodeURIComponent(place?.name ?? ""));
  return (
    <PageFrame
      title={t.title}
      {...equalOf(isRouting, params)}
      actions={
        mayChange && (
          <>
            <Button
              busy={testAll.isPending}
              onClick={() =>
                testAll.mutate({
                  body: wantedTags.length === 1 ? { tag: wantedTags[0] ?? null } : {},
                })
              }
            >
              {testAll.isPending ? t.testing : t.testAll}
            </Button>
            <Button look="main" icon={<Plus size={14} />} onClick={() => setAdding(true)}>
              {t.add}
            </Button>
          </>
        )
      }
    >
      <Tabs
        label={t.title}
        tabs={[
          { value: "list", label: t.views.list },
          { value: "routing", label: t.views.routing },
        ]}
        value={isRouting ? "routing" : "list"}
        onChange={(tab) => setParams({ tab: tab === "list" ? undefined : tab })}
      />
      {isRouting ? (
        <Routing models={[...new Set(all?.flatMap((each) => modelNamesOf(each) ?? []))]} />
      ) : (
        <>
          <Filters t={t} tags={tags} hasResults={results.size > 0} />
          {mayChange && target !== undefined && (
            <BulkBar target={target} channels={all ?? []} onDone={() => setTicked(new Set())} />
          )}
          {(channels.error ?? testAll.error) !== null && (
            <Problem
              error={channels.error ?? testAll.error}
              onRetry={() => void channels.refetch()}
            />
          )}
          <Table
            label={t.label}
            columns={[
              ...(mayChange ? [tickColumn(t, ticked, setTicked, shown ?? [])] : []),
              ...columnsOf(t),
              ...(results.size > 0 ? [resultColumn(t, results)] : []),
            ]}
            rows={shown}
            rowKey={({ name }) => name}
            href={({ name }) => `/channels/${encodeURIComponent(name)}${search}`}
            isMarked={({ name }) => name === current?.name}
            minWidth="54rem"
            fills
            empty={
              all?.length === 0 ? (
                <Empty title={t.empty}>
                  <p>{t.emptyHint}</p>
                </Empty>
              ) : (
                <Empty title={t.none} />
              )
            }
          />
        </>
      )}
      {current !== undefined && (
        <ChannelDrawer
          channel={current}
          mayChange={mayChange}
          onClose={() => navigate(`/channels${search}`)}
        />
      )}
      {isAdding && (
        <AddChannel
          taken={all?.map(({ name }) => name) ?? []}
          onClose={() => setAdding(false)}
          onSaved={(name, isTested) => {
            setAdding(false);
            navigate(`/channels/${encodeURIComponent(name)}${isTested ? "" : "?test=1"}`);
          }}
        />
      )}
    </PageFrame>
  );
}

/** Filters of the list, all of them in the address. */
function Filters({
  t,
  tags,
  hasResults,
}: {
  readonly t: Texts;
  readonly tags: readonly string[];
  readonly hasResults: boolean;
}) {
  const [params, setParams] = useQueryState();
  const wanted = tagsIn(params);
  const tested = params.get("tested") ?? "";
  const toggle = (tag: string): void => {
    const next = wanted.includes(tag) ? wanted.filter((each) => each !== tag) : [...wanted, tag];
    setParams({ tag: next.join(",") });
  };
  return (
    <search className="flex flex-wrap items-center gap-2">
      <Input
        type="search"
        data-search
        aria-label={t.search}
        placeholder={t.search}
        className="w-56"
        value={params.get("q") ?? ""}
        onChange={(event) => setParams({ q: event.target.value })}
      />
      <Select
        aria-label={t.health}
        className="w-40"
        value={params.get("state") ?? ""}
        onChange={(event) => setParams({ state: event.target.value })}
        choices={[
          { value: "", label: t.anyState },
          ...STATES.map((value) => ({ value, label: t.states[value] })),
        ]}
      />
      {(hasResults || tested !== "") && (
        <Select
          aria-label={t.result}
          className="w-40"
          value={tested}
          onChange={(event) => setParams({ tested: event.target.value })}
          choices={[
            { value: "", label: t.anyResult },
            { value: "failed", label: t.onlyFailed },
            { value: "passed", label: t.onlyPassed },
          ]}
        />
      )}
      <div role="group" aria-label={t.tagFilter} className="flex flex-wrap gap-1">
        {tags.map((tag) => (
          <Button
            key={tag}
            aria-pressed={wanted.includes(tag)}
            className={wanted.includes(tag) ? "border-accent bg-accent-soft" : ""}
            onClick={() => toggle(tag)}
          >
            {tag}
          </Button>
        ))}
      </div>
      {tested !== "" && !hasResults && <p className="text-muted text-xs">{t.noResult}</p>}
    </search>
  );
}

function equalOf(isRouting: boolean, params: URLSearchParams) {
  const tag = params.get("tag") ?? undefined;
  if (!isRouting)
    return { equal: { path: "/api/channel", query: { tag } }, command: "sluice channels list" };
  const messages = [{ role: "user", content: "Hello" }];
  const body = { style: "chat", body: { model: params.get("model") ?? "", messages } };
  return { equal: { method: "POST" as const, path: "/api/explain", body } };
}

function tagsIn(params: URLSearchParams): readonly string[] {
  return (params.get("tag") ?? "").split(",").filter(Boolean);
}

/** The ticked channels; without any, those of the one tag that is filtered by. */
function targetOf(
  ticked: ReadonlySet<number>,
  all: readonly Channel[] | undefined,
  tags: readonly string[],
): Target | undefined {
  const ids = (all ?? []).flatMap(({ id }) => (id !== null && ticked.has(id) ? [id] : []));
  if (ids.length > 0) return { ids };
  const [tag] = tags;
  return tag === undefined || tags.length > 1 ? undefined : { tag };
}

function isWanted(
  { name, provider, tags, health }: Channel,
  params: URLSearchParams,
  results: Results,
): boolean {
  const wanted = (params.get("q") ?? "").toLowerCase();
  const state = params.get("state") ?? "";
  if (state !== "" && health.state !== state) return false;
  if (!tagsIn(params).every((tag) => tags.includes(tag))) return false;
  const tested = params.get("tested");
  if (tested !== null && results.size > 0 && resultOf(results.get(name)) !== tested) return false;
  return [name, provider, ...tags].some((text) => text.toLowerCase().includes(wanted));
}

function resultOf(result: TestResult | undefined): "passed" | "failed" | undefined {
  if (result === undefined || result.probes.length === 0) return undefined;
  return result.ok ? "passed" : "failed";
}

/** Only stored channels can be changed here, so only those can be ticked. */
function tickColumn(
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

function resultColumn(t: Texts, results: Results): Column<Channel> {
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

function columnsOf(t: Texts): readonly Column<Channel>[] {
  return [
    { name: "name", label: t.name, width: "13rem", cell: ({ name }) => name },
    { name: "vendor", label: t.vendor, width: "8rem", cell: ({ provider }) => provider },
    {
      name: "health",
      label: t.health,
      width: "7rem",
      cell: (channel) => <Health health={channel.health} />,
    },
    {
      name: "success",
      label: t.success,
      width: "7rem",
      align: "end",
      cell: ({ health }) => percent(health.last_24_hours.success_rate),
    },
    {
      name: "firstByte",
      label: t.firstByte,
      width: "10rem",
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
      width: "7rem",
      align: "end",
      cell: ({ health }) => money(health.spend_today_usd),
    },
    {
      name: "models",
      label: t.models,
      from: "lg",
      cell: (channel) => modelNamesOf(channel)?.join(", ") ?? t.allModels,
    },
    {
      name: "tags",
      label: t.tags,
      width: "8rem",
      from: "xl",
      cell: ({ tags }) => tags.map((tag) => <Badge key={tag}>{tag}</Badge>),
    },
  ];
}
