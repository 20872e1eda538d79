import { RefreshCw } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { count } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table } from "../../ui/table.tsx";
import type { Call } from "./call.ts";
import { CallDrawer } from "./call-drawer.tsx";
import { ColumnMenu } from "./column-menu.tsx";
import { columnsOf, useChosenColumns } from "./columns.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { AUDITORS_FILTERS, OWN_FILTERS, queryIn } from "./filters.ts";
import { useLiveCalls } from "./live-calls.ts";
import { LOG_TEXTS } from "./texts.ts";

const PAGE_SIZE = 100;

/** Calls with filters, live or in pages; one opens in a drawer. */
export function Page() {
  const t = useTexts(LOG_TEXTS);
  const isAuditor = isAtLeast(useUser().role, "auditor");
  const [params, setParams] = useQueryState();
  const [since, setSince] = useState(() => Date.now() / 1_000);
  const [, opened] = useRoute("/logs/:id");
  const [, navigate] = useLocation();
  const names = isAuditor ? AUDITORS_FILTERS : OWN_FILTERS;
  const query = queryIn(params, names, since);
  const isFiltered = Object.keys(query).length > 0;
  const isLive = params.get("live") === "1";
  const path = isAuditor ? "/api/log" : "/api/log/self";

  const pages = hooks.useInfiniteQuery(
    "get",
    path as "/api/log",
    { params: { query: { ...query, page_size: PAGE_SIZE } } },
    {
      pageParamName: "before",
      // Left out of the request.
      initialPageParam: null as string | null,
      getNextPageParam: ({ data }) => data.next,
      enabled: !isLive,
    },
  );
  const live = useLiveCalls(isLive ? `${path}/stream?${new URLSearchParams(query)}` : undefined);
  const listed = pages.data?.pages.flatMap(({ data }) => data.items as readonly Call[]);
  const calls = isLive ? live.calls : listed;

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const chosen = useChosenColumns();
  const all = useMemo(() => columnsOf(t, isAuditor), [t, isAuditor]);
  // The same ones until another is chosen: rows that stay are not drawn again.
  const columns = useMemo(() => all.filter(({ name }) => chosen.includes(name)), [all, chosen]);
  const search = params.size === 0 ? "" : `?${params}`;

  return (
    <PageFrame
      title={t.title}
      equal={{ path, query: { ...query, page_size: PAGE_SIZE } }}
      command={commandOf(query, isLive)}
      actions={
        <>
          <Checkbox
            label={t.live}
            title={t.liveHint}
            checked={isLive}
            onChange={(event) => setParams({ live: event.target.checked ? "1" : undefined })}
          />
          <ColumnMenu all={all} chosen={chosen} />
          <IconButton
            label={t.refresh}
            disabled={isLive}
            onClick={() => {
              // A period ends at another time now, which is another request by itself.
              if (query["from"] === undefined) void pages.refetch();
              else setSince(Date.now() / 1_000);
            }}
          >
            <RefreshCw size={16} className={pages.isFetching ? "animate-spin" : undefined} />
          </IconButton>
        </>
      }
    >
      <FilterBar params={params} set={setParams} isAuditor={isAuditor} />
      {pages.error !== null && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
      {isLive && !live.isConnected && <p className="text-warn text-sm">{t.disconnected}</p>}
      {live.dropped > 0 && <p className="text-warn text-sm">{t.dropped(count(live.dropped))}</p>}
      <Table
        label={t.label}
        columns={columns}
        rows={calls}
        rowKey={({ id }) => id}
        href={({ id }) => `/logs/${id}${search}`}
        isMarked={({ id }) => id === opened?.id}
        onEnd={loadMore}
        fills
        empty={
          isLive ? undefined : (
            <Empty title={isFiltered ? t.empty : t.none}>
              <p>{isFiltered ? t.emptyHint : t.noneHint}</p>
              {isFiltered && <Button onClick={() => navigate("/logs")}>{t.clear}</Button>}
            </Empty>
          )
        }
        foot={footOf(t, calls?.length, !isLive && hasNextPage, isLive)}
      />
      {opened !== null && (
        <CallDrawer
          id={opened.id}
          isAuditor={isAuditor}
          onClose={() => navigate(`/logs${search}`)}
        />
      )}
    </PageFrame>
  );
}

function footOf(
  t: {
    readonly all: (calls: string) => string;
    readonly loadingMore: string;
    readonly liveHint: string;
  },
  shown: number | undefined,
  hasMore: boolean,
  isLive: boolean,
): string | undefined {
  if (shown === undefined) return undefined;
  if (isLive) return t.liveHint;
  return hasMore ? t.loadingMore : t.all(count(shown));
}

function commandOf(query: Readonly<Record<string, string>>, isLive: boolean): string {
  const options = Object.entries(query).map(([name, value]) =>
    name === "from" ? `--since ${value}` : `--${name.replaceAll("_", "-")} ${value}`,
  );
  return ["sluice log", ...options, ...(isLive ? ["--follow"] : [])].join(" ");
}
