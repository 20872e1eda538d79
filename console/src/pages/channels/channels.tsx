import { useState } from "react";
import { useLocation, useRoute } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Button } from "../../ui/button.tsx";
import { CreateButton } from "../../ui/create-button.tsx";
import { count } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { AddChannel } from "./add-channel.tsx";
import { BulkBar, type Target } from "./bulk-bar.tsx";
import { ChannelDrawer } from "./channel-drawer.tsx";
import { modelNamesOf, type Channel } from "./channel.ts";
import { channelColumns, resultColumn, tickColumn, type Results } from "./channel-columns.tsx";
import { ChannelFilters, isWanted, tagsIn } from "./channel-filters.tsx";
import { Routing } from "./routing.tsx";
import { CHANNEL_TEXTS } from "./texts.ts";

const POLL_MS = 10_000;

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
            <CreateButton onClick={() => setAdding(true)}>{t.add}</CreateButton>
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
          <ChannelFilters tags={tags} hasResults={results.size > 0} />
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
              ...channelColumns(t),
              ...(results.size > 0 ? [resultColumn(t, results)] : []),
            ]}
            rows={shown}
            rowKey={({ name }) => name}
            href={({ name }) => `/channels/${encodeURIComponent(name)}${search}`}
            isMarked={({ name }) => name === current?.name}
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

function equalOf(isRouting: boolean, params: URLSearchParams) {
  const tag = params.get("tag") ?? undefined;
  if (!isRouting)
    return { equal: { path: "/api/channel", query: { tag } }, command: "sluice channels list" };
  const model = params.get("model") ?? "";
  const style = params.get("style") ?? "chat";
  const body = { model, style };
  return {
    equal: { method: "POST" as const, path: "/api/channel/explain", body },
    command: `sluice channels explain ${model === "" ? "MODEL" : model} --style ${style}`,
  };
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
