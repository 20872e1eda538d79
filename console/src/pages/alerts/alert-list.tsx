import { useQueryClient } from "@tanstack/react-query";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { clockTime } from "../../ui/format.ts";
import { Filters } from "../../ui/filters.tsx";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { Pager, PAGE_SIZE } from "./pager.tsx";
import { SilenceSelect } from "./silence-select.tsx";
import { ALERT_TEXTS } from "./texts.ts";

type Alert = Schemas["Alert"];

const STATES = ["open", "ended", "all"] as const;
const KINDS = Object.keys(ALERT_TEXTS.en.kinds) as Alert["kind"][];
const REFRESH_MS = 15_000;

/** Open alerts, or past ones. */
export function AlertList() {
  const t = useTexts(ALERT_TEXTS);
  const client = useQueryClient();
  const canAct = isAtLeast(useUser().role, "admin");
  const [params, setParams] = useQueryState();
  const state = STATES.find((each) => each === params.get("state")) ?? "open";
  const kind = KINDS.find((each) => each === params.get("kind"));
  const before = params.get("before");
  const query = {
    state,
    page_size: PAGE_SIZE,
    ...(kind === undefined ? {} : { kind }),
    ...(before === null ? {} : { before }),
  };
  const alerts = hooks.useQuery(
    "get",
    "/api/alert",
    { params: { query } },
    { refetchInterval: REFRESH_MS },
  );
  const rows = alerts.data?.data.items;
  const refresh = (): void => void client.invalidateQueries({ queryKey: ["get", "/api/alert"] });
  const acknowledge = hooks.useMutation("post", "/api/alert/open/{id}/acknowledge", {
    onSuccess() {
      toast(t.acknowledgedToast);
      refresh();
    },
  });
  const silence = hooks.useMutation("post", "/api/alert/open/{id}/silence", {
    onSuccess() {
      toast(t.silenceSet);
      refresh();
    },
  });

  const columns: readonly Column<Alert>[] = [
    { name: "text", label: t.text, cell: ({ text }) => <span title={text}>{text}</span> },
    { name: "kind", label: t.kind, width: "8rem", from: "sm", cell: ({ kind: of }) => t.kinds[of] },
    {
      name: "began",
      label: t.began,
      width: "8rem",
      cell: ({ began_at }) => <Ago at={began_at} />,
    },
    {
      name: "ended",
      label: t.ended,
      width: "8rem",
      from: "lg",
      cell: ({ ended_at }) => (ended_at === null ? "–" : <Ago at={ended_at} />),
    },
    {
      name: "messages",
      label: t.messages,
      width: "5rem",
      align: "end",
      from: "lg",
      cell: ({ messages }) => messages,
    },
    {
      name: "note",
      label: t.note,
      width: "12rem",
      from: "xl",
      cell: (alert) => noteOf(alert, t),
    },
  ];
  const actions: Column<Alert> = {
    name: "actions",
    label: "",
    width: "15rem",
    cell: ({ id, state: now, acknowledged_at: at }) =>
      now === "open" && (
        <span className="flex gap-1">
          {at === null && (
            <Button
              className="h-7"
              busy={acknowledge.isPending}
              onClick={() => acknowledge.mutate({ params: { path: { id } } })}
            >
              {t.acknowledge}
            </Button>
          )}
          <SilenceSelect
            onChoose={(minutes) => silence.mutate({ params: { path: { id } }, body: { minutes } })}
          />
        </span>
      ),
  };
  const error = alerts.error ?? acknowledge.error ?? silence.error;
  return (
    <>
      <Filters>
        <Select
          aria-label={t.state}
          className="w-36"
          value={state}
          choices={STATES.map((value) => ({ value, label: t.states[value] }))}
          onChange={(event) => setParams({ state: event.target.value, before: "" })}
        />
        <Select
          aria-label={t.kind}
          className="w-48"
          value={kind ?? ""}
          choices={[
            { value: "", label: t.anyKind },
            ...KINDS.map((value) => ({ value, label: t.kinds[value] })),
          ]}
          onChange={(event) => setParams({ kind: event.target.value, before: "" })}
        />
      </Filters>
      {error !== null && <Problem error={error} onRetry={() => void alerts.refetch()} />}
      <Table
        label={t.title}
        columns={canAct ? [...columns, actions] : columns}
        rows={rows}
        rowKey={({ id }) => id}
        empty={<Empty title={state === "open" && kind === undefined ? t.noOpen : t.noAlerts} />}
      />
      <Pager ids={rows?.map(({ id }) => id) ?? []} />
    </>
  );
}

function noteOf(
  alert: Alert,
  t: {
    readonly silentUntil: (until: string) => string;
    readonly acknowledged: (by: string) => string;
  },
): string {
  const { silenced_until: until, acknowledged_by: by } = alert;
  if (until !== null && until > Date.now() / 1_000) return t.silentUntil(clockTime(until));
  return by === null ? "" : t.acknowledged(by);
}
