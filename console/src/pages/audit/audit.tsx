import { useState } from "react";
import { api, hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FilterInput } from "../../ui/filter-input.tsx";
import { Filters } from "../../ui/filters.tsx";
import { count } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { At } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { AUDIT_TEXTS } from "./texts.ts";

type Row = Schemas["AuditRow"];

const PAGE_SIZE = 100;

/** Who changed what, and whether the log is as it was written. */
export function Page() {
  const t = useTexts(AUDIT_TEXTS);
  const [params, setParams] = useQueryState();
  const action = params.get("action") ?? "";
  const [open, setOpen] = useState<Row>();
  const query = { page_size: PAGE_SIZE, ...(action === "" ? {} : { action }) };
  const rows = hooks.useInfiniteQuery(
    "get",
    "/api/audit",
    { params: { query } },
    {
      pageParamName: "before",
      initialPageParam: null as number | null,
      getNextPageParam: ({ data: { items } }) =>
        items.length < PAGE_SIZE ? null : items.at(-1)?.seq,
    },
  );
  const listed = rows.data?.pages.flatMap(({ data }) => data.items);
  const columns: readonly Column<Row>[] = [
    {
      name: "time",
      label: t.time,
      width: "9rem",
      cell: (row) => (
        <button type="button" className="text-accent hover:underline" onClick={() => setOpen(row)}>
          <At at={row.created_at} />
        </button>
      ),
    },
    {
      name: "actor",
      label: t.actor,
      width: "10rem",
      cell: ({ actor, actor_id }) => actor ?? actor_id ?? t.nobody,
    },
    {
      name: "action",
      label: t.action,
      width: "16rem",
      cell: (row) => <span className="font-mono text-xs">{row.action}</span>,
    },
    {
      name: "object",
      label: t.object,
      cell: ({ object }) => <span className="font-mono text-xs">{shortOf(object)}</span>,
    },
    { name: "outcome", label: t.outcome, width: "8rem", cell: (row) => <Outcome row={row} /> },
    {
      name: "address",
      label: t.address,
      width: "9rem",
      from: "lg",
      cell: ({ address }) => address ?? "–",
    },
  ];
  return (
    <PageFrame
      title={t.title}
      equal={{ path: "/api/audit", query }}
      command="sluice audit"
      actions={<Verify />}
    >
      <Filters>
        <FilterInput
          label={t.anyAction}
          className="w-72"
          value={action}
          onDone={(value) => setParams({ action: value })}
        />
      </Filters>
      {rows.error !== null && <Problem error={rows.error} onRetry={() => void rows.refetch()} />}
      <Table
        label={t.label}
        columns={columns}
        rows={listed}
        rowKey={({ seq }) => seq}
        fills
        empty={<Empty title={t.empty} />}
        more={rows}
      />
      {open !== undefined && <Details row={open} onClose={() => setOpen(undefined)} />}
    </PageFrame>
  );
}

function Outcome({ row }: { readonly row: Row }) {
  if (row.status === null) return <Badge>{row.outcome}</Badge>;
  const isDone = row.status < 400;
  return (
    <Badge tone={isDone ? "good" : "bad"}>
      {row.outcome} {row.status}
    </Badge>
  );
}

function Details({ row, onClose }: { readonly row: Row; readonly onClose: () => void }) {
  const t = useTexts(AUDIT_TEXTS);
  const facts = [
    [t.actor, `${row.actor ?? t.nobody} (${row.role ?? "–"}, ${row.proof})`],
    [t.action, row.action],
    [t.address, row.address ?? "–"],
    [t.agent, row.user_agent ?? "–"],
    [t.request, row.request_id],
  ] as const;
  return (
    <Dialog title={t.row(row.seq)} onClose={onClose} shape="drawer">
      <dl className="grid grid-cols-[8rem_1fr] gap-y-1.5 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <pre
        tabIndex={0}
        className="bg-bg mt-4 overflow-auto rounded-md p-3 font-mono text-xs whitespace-pre-wrap"
      >
        {JSON.stringify({ object: row.object, details: row.details }, undefined, 2)}
      </pre>
    </Dialog>
  );
}

/** Walks through the whole chain in pages. */
function Verify() {
  const t = useTexts(AUDIT_TEXTS);
  const [verified, setVerified] = useState<number>();
  const verify = async (): Promise<void> => {
    let after = 0;
    for (;;) {
      setVerified(after);
      const { data } = await api.GET("/api/audit/verify", {
        params: { query: { after_seq: after } },
      });
      const page = data?.data;
      if (page === undefined) return;
      if (page.broken !== null)
        return toast(t.broken(count(page.broken.seq), page.broken.problem), "bad");
      if (page.is_end) return toast(t.whole(count(page.verified_to)));
      after = page.verified_to;
    }
  };
  return (
    <Button
      busy={verified !== undefined}
      onClick={() =>
        void verify()
          .catch((error: unknown) =>
            toast(error instanceof Error ? error.message : String(error), "bad"),
          )
          .finally(() => setVerified(undefined))
      }
    >
      {verified === undefined ? t.verify : t.verifying(count(verified))}
    </Button>
  );
}

function shortOf(object: Readonly<Record<string, unknown>>): string {
  return Object.entries(object)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}
