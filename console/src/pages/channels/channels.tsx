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
import { toast } from "../../ui/toast.tsx";
import { AddChannel } from "./add-channel.tsx";
import { ChannelDrawer } from "./channel-drawer.tsx";
import { modelNamesOf, STATES, type Channel } from "./channel.ts";
import { Health } from "./health.tsx";
import { CHANNEL_TEXTS } from "./texts.ts";

const POLL_MS = 10_000;

/** All channels with their health; one opens in a drawer. */
export function Page() {
  const t = useTexts(CHANNEL_TEXTS);
  const mayChange = isAtLeast(useUser().role, "admin");
  const [params, setParams] = useQueryState();
  const [, opened] = useRoute("/channels/:name");
  const [, navigate] = useLocation();
  const [isAdding, setAdding] = useState(false);
  const channels = hooks.useQuery("get", "/api/channel", {}, { refetchInterval: POLL_MS });
  const testAll = hooks.useMutation("post", "/api/channel/test", {
    onSuccess: ({ data }) =>
      toast(t.tested(count(data.tested), count(data.failed)), data.failed > 0 ? "bad" : "good"),
  });
  const all = channels.data?.data.items;
  const shown = all?.filter((channel) => isWanted(channel, params));
  const search = params.size === 0 ? "" : `?${params}`;
  const current = all?.find(({ name }) => name === decodeURIComponent(opened?.name ?? ""));
  return (
    <PageFrame
      title={t.title}
      equal={{ path: "/api/channel" }}
      command="sluice channels list"
      actions={
        mayChange && (
          <>
            <Button busy={testAll.isPending} onClick={() => testAll.mutate({ body: {} })}>
              {testAll.isPending ? t.testing : t.testAll}
            </Button>
            <Button look="main" icon={<Plus size={14} />} onClick={() => setAdding(true)}>
              {t.add}
            </Button>
          </>
        )
      }
    >
      <search className="flex flex-wrap gap-2">
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
      </search>
      {channels.error !== null && (
        <Problem error={channels.error} onRetry={() => void channels.refetch()} />
      )}
      <Table
        label={t.label}
        columns={columnsOf(t)}
        rows={shown}
        rowKey={({ name }) => name}
        href={({ name }) => `/channels/${encodeURIComponent(name)}${search}`}
        isMarked={({ name }) => name === current?.name}
        minWidth="52rem"
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

function isWanted({ name, provider, tags, health }: Channel, params: URLSearchParams): boolean {
  const wanted = (params.get("q") ?? "").toLowerCase();
  const state = params.get("state") ?? "";
  if (state !== "" && health.state !== state) return false;
  return [name, provider, ...tags].some((text) => text.toLowerCase().includes(wanted));
}

function columnsOf(
  t: ReturnType<typeof useTexts<typeof CHANNEL_TEXTS.en>>,
): readonly Column<Channel>[] {
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
