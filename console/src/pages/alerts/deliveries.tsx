import { useQueryClient } from "@tanstack/react-query";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { Pager, PAGE_SIZE } from "./pager.tsx";
import { ALERT_TEXTS } from "./texts.ts";

type Delivery = Schemas["AlertDelivery"];

const STATES = ["pending", "delivered", "dead"] as const;
const TONES = { pending: "info", delivered: "good", dead: "bad" } as const;

/** Messages to destinations with their errors. */
export function Deliveries() {
  const t = useTexts(ALERT_TEXTS);
  const client = useQueryClient();
  const canAct = isAtLeast(useUser().role, "admin");
  const [params, setParams] = useQueryState();
  const state = STATES.find((each) => each === params.get("state"));
  const before = params.get("before");
  const query = {
    page_size: PAGE_SIZE,
    ...(state === undefined ? {} : { state }),
    ...(before === null ? {} : { before }),
  };
  const deliveries = hooks.useQuery("get", "/api/alert/delivery", { params: { query } });
  const destinations = hooks.useQuery("get", "/api/alert/destination");
  const names = new Map(destinations.data?.data.items.map(({ id, name }) => [id, name]));
  const replay = hooks.useMutation("post", "/api/alert/delivery/{id}/replay", {
    onSuccess() {
      toast(t.replayed);
      void client.invalidateQueries({ queryKey: ["get", "/api/alert/delivery"] });
    },
  });
  const columns: readonly Column<Delivery>[] = [
    {
      name: "created",
      label: t.created,
      width: "8rem",
      cell: (row) => <Ago at={row.created_at} />,
    },
    {
      name: "state",
      label: t.state,
      width: "7rem",
      cell: (row) => <Badge tone={TONES[row.state]}>{t.deliveryStates[row.state]}</Badge>,
    },
    {
      name: "destination",
      label: t.destination,
      width: "11rem",
      cell: ({ destination_id: id }) => (id === null ? "–" : (names.get(id) ?? `#${id}`)),
    },
    {
      name: "attempts",
      label: t.attempts,
      align: "end",
      width: "5rem",
      cell: ({ attempts }) => attempts,
    },
    {
      name: "next",
      label: t.next,
      width: "8rem",
      cell: ({ next_attempt_at: at }) => (at === null ? "–" : <Ago at={at} />),
    },
    {
      name: "error",
      label: t.error,
      cell: ({ last_error: error }) => <span title={error ?? undefined}>{error}</span>,
    },
  ];
  const actions: Column<Delivery> = {
    name: "actions",
    label: "",
    width: "8rem",
    cell: ({ id }) => (
      <Button
        className="h-7"
        busy={replay.isPending}
        onClick={() => replay.mutate({ params: { path: { id } } })}
      >
        {t.replay}
      </Button>
    ),
  };
  const rows = deliveries.data?.data.items;
  const error = deliveries.error ?? replay.error;
  return (
    <>
      <Select
        aria-label={t.state}
        className="w-36"
        value={state ?? ""}
        choices={[
          { value: "", label: t.anyState },
          ...STATES.map((value) => ({ value, label: t.deliveryStates[value] })),
        ]}
        onChange={(event) => setParams({ state: event.target.value, before: "" })}
      />
      {error !== null && <Problem error={error} onRetry={() => void deliveries.refetch()} />}
      <Table
        label={t.tabs.deliveries}
        columns={canAct ? [...columns, actions] : columns}
        rows={rows}
        rowKey={({ id }) => id}
        empty={<Empty title={t.noDeliveries} />}
      />
      <Pager ids={rows?.map(({ id }) => id) ?? []} />
    </>
  );
}
