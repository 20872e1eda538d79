import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Select } from "../../ui/field.tsx";
import { FilterInput } from "../../ui/filter-input.tsx";
import { Filters } from "../../ui/filters.tsx";
import { money } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { At } from "../../ui/time.tsx";
import { TASK_TEXTS } from "./texts.ts";

/** Channels come with all tasks, and files with one's own. */
type Task = Schemas["ListedTask"] & Partial<Schemas["OwnTask"]>;
type State = Task["state"];

const STATES = ["submitting", "unknown", "queued", "running", "succeeded", "failed"] as const;
const TONES: Record<State, Tone> = {
  submitting: "neutral",
  unknown: "warn",
  queued: "neutral",
  running: "info",
  succeeded: "good",
  failed: "bad",
};

export function TaskList({
  isAll,
  query,
  params,
  set,
}: {
  readonly isAll: boolean;
  readonly query: Readonly<Record<string, string | number>>;
  readonly params: URLSearchParams;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
}) {
  const t = useTexts(TASK_TEXTS);
  const path = isAll ? "/api/task" : "/api/task/self";
  const pages = hooks.useInfiniteQuery(
    "get",
    path as "/api/task",
    { params: { query } },
    {
      pageParamName: "before",
      initialPageParam: null as string | null,
      getNextPageParam: ({ data }) => data.next,
    },
  );
  const tasks = pages.data?.pages.flatMap(({ data }) => data.items as readonly Task[]);
  const filters = [["model", t.model] as const, ...(isAll ? [["user", t.userId] as const] : [])];
  return (
    <>
      <Filters>
        <Select
          aria-label={t.state}
          className="w-36"
          value={params.get("state") ?? ""}
          onChange={(event) => set({ state: event.target.value })}
          choices={[
            { value: "", label: t.anyState },
            ...STATES.map((value) => ({ value, label: t.states[value] })),
          ]}
        />
        {filters.map(([name, label]) => (
          <FilterInput
            key={name}
            label={label}
            className="w-40"
            value={params.get(name) ?? ""}
            onDone={(value) => set({ [name]: value })}
          />
        ))}
      </Filters>
      {pages.error !== null && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
      <Table
        label={t.label}
        columns={columnsOf(t, isAll)}
        rows={tasks}
        rowKey={({ id }) => id}
        fills
        empty={
          <Empty title={t.empty}>
            <p>{t.emptyHint}</p>
          </Empty>
        }
        more={pages}
      />
    </>
  );
}

function columnsOf(t: Translated<typeof TASK_TEXTS.en>, isAll: boolean): readonly Column<Task>[] {
  const state: Column<Task> = {
    name: "state",
    label: t.state,
    width: "7rem",
    cell: (task) => <Badge tone={TONES[task.state]}>{t.states[task.state]}</Badge>,
  };
  return [
    {
      name: "created",
      label: t.created,
      width: "8rem",
      cell: (task) => <At at={task.created_at} />,
    },
    state,
    { name: "model", label: t.model, width: "11rem", cell: ({ model }) => model },
    ...(isAll
      ? ([
          { name: "channel", label: t.channel, width: "8rem", cell: (task) => task.channel ?? "–" },
          {
            name: "user",
            label: t.user,
            width: "8rem",
            cell: (task) => task.user_name ?? task.user_id,
          },
        ] satisfies Column<Task>[])
      : []),
    {
      name: "progress",
      label: t.progress,
      width: "5rem",
      align: "end",
      cell: ({ progress }) => (progress === null ? "–" : `${progress} %`),
    },
    {
      name: "cost",
      label: t.cost,
      width: "6rem",
      align: "end",
      cell: (task) => money(task.cost_usd),
    },
    {
      name: "error",
      label: t.error,
      cell: ({ error }) =>
        error === null ? (
          "–"
        ) : (
          <span title={error.message}>{`${error.code}: ${error.message}`}</span>
        ),
    },
    isAll
      ? {
          name: "id",
          label: t.id,
          width: "13rem",
          cell: ({ id }) => <span className="font-mono text-xs">{id}</span>,
        }
      : {
          name: "files",
          label: t.files,
          width: "9rem",
          cell: ({ files = [] }) =>
            files.map((link, at) => (
              <a
                key={link}
                href={link}
                target="_blank"
                rel="noreferrer"
                className="text-accent mr-2 hover:underline"
              >
                {t.open(String(at + 1))}
              </a>
            )),
        },
  ];
}
