import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago, At } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { TASK_TEXTS } from "./texts.ts";

type Delivery = Schemas["Notice"];

const TONES: Record<Delivery["state"], Tone> = {
  pending: "neutral",
  delivered: "good",
  dead: "bad",
};

/** Webhooks of one's own tasks; each may be sent again. */
export function WebhookList({ pageSize }: { readonly pageSize: number }) {
  const t = useTexts(TASK_TEXTS);
  const pages = hooks.useInfiniteQuery(
    "get",
    "/api/notice",
    { params: { query: { page_size: pageSize } } },
    {
      pageParamName: "before",
      initialPageParam: null as string | null,
      getNextPageParam: ({ data }) => (data.length < pageSize ? null : data.at(-1)?.id),
    },
  );
  const replay = hooks.useMutation("post", "/api/notice/{id}/replay", {
    async onSuccess() {
      toast(t.replayed);
      await pages.refetch();
    },
  });
  const columns: readonly Column<Delivery>[] = [
    {
      name: "created",
      label: t.created,
      width: "8rem",
      cell: (each) => <At at={each.created_at} />,
    },
    {
      name: "state",
      label: t.state,
      width: "7rem",
      cell: ({ state }) => <Badge tone={TONES[state]}>{t.deliveries[state]}</Badge>,
    },
    { name: "url", label: t.url, cell: ({ url }) => <span title={url}>{url}</span> },
    {
      name: "task",
      label: t.id,
      width: "13rem",
      cell: ({ task_id }) => <span className="font-mono text-xs">{task_id}</span>,
    },
    {
      name: "attempts",
      label: t.attempts,
      width: "6rem",
      align: "end",
      cell: (each) => each.attempts,
    },
    {
      name: "next",
      label: t.next,
      width: "8rem",
      cell: ({ next_attempt_at: at }) => (at === null ? "–" : <Ago at={at} />),
    },
    { name: "error", label: t.error, width: "12rem", cell: ({ last_error }) => last_error ?? "–" },
    {
      name: "replay",
      label: "",
      width: "8rem",
      cell: ({ id }) => (
        <Button
          look="quiet"
          busy={replay.isPending && replay.variables.params.path.id === id}
          onClick={() => replay.mutate({ params: { path: { id } } })}
        >
          {t.replay}
        </Button>
      ),
    },
  ];
  const error = pages.error ?? replay.error;
  return (
    <>
      {error !== null && <Problem error={error} />}
      <Table
        label={t.webhooks}
        columns={columns}
        rows={pages.data?.pages.flatMap(({ data }) => data)}
        rowKey={({ id }) => id}
        fills
        empty={
          <Empty title={t.noWebhooks}>
            <p>{t.noWebhooksHint}</p>
          </Empty>
        }
        more={pages}
      />
    </>
  );
}
