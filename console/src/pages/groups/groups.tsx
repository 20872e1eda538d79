import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { PAGES_BY_ID } from "../../api/pages-by-id.ts";
import { useTexts } from "../../app/language.ts";
import { ListPage } from "../../app/list-page.tsx";
import { count } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { GroupDrawer } from "./group-drawer.tsx";
import { GroupForm } from "./group-form.tsx";
import type { Group } from "./group.ts";
import { GROUP_TEXTS } from "./texts.ts";

/** Groups of users, with the models, prices and limits that each gives. */
export function Page() {
  const t = useTexts(GROUP_TEXTS);
  const client = useQueryClient();
  const [params, setParams] = useQueryState();
  const [isNew, setNew] = useState(false);
  const groups = hooks.useInfiniteQuery("get", "/api/group", {}, PAGES_BY_ID);
  const create = hooks.useMutation("post", "/api/group", {
    onSuccess({ data }) {
      setNew(false);
      toast(t.created(data.name));
      void client.invalidateQueries({ queryKey: ["get", "/api/group"] });
    },
    onError: () => undefined,
  });
  const listed = groups.data?.pages.flatMap(({ data }) => data.items);
  const open = listed?.find(({ id }) => String(id) === params.get("group"));
  const all = (names: readonly string[] | null) => names?.join(", ") ?? t.all;
  const limit = (value: number | null) => (value === null ? "–" : count(value));
  const columns: readonly Column<Group>[] = [
    { name: "name", label: t.name, width: "9rem", cell: ({ name }) => name },
    { name: "models", label: t.models, cell: ({ models }) => all(models) },
    { name: "channels", label: t.channels, from: "lg", cell: ({ channels }) => all(channels) },
    {
      name: "factor",
      label: t.factor,
      align: "end",
      width: "7rem",
      cell: ({ price_factor }) => price_factor,
    },
    {
      name: "prices",
      label: t.prices,
      align: "end",
      width: "7rem",
      from: "sm",
      cell: ({ prices }) => count(Object.keys(prices).length),
    },
    {
      name: "rpm",
      label: t.rpm,
      align: "end",
      width: "9.5rem",
      from: "lg",
      cell: ({ rpm }) => limit(rpm),
    },
    {
      name: "concurrency",
      label: t.concurrency,
      align: "end",
      width: "8rem",
      from: "xl",
      cell: ({ concurrency }) => limit(concurrency),
    },
    {
      name: "created",
      label: t.made,
      width: "8rem",
      from: "xl",
      cell: (group) => <Ago at={group.created_at} />,
    },
  ];
  return (
    <ListPage
      title={t.title}
      equal={{ path: "/api/group" }}
      command="sluice groups list"
      create={t.create}
      onCreate={() => setNew(true)}
    >
      {groups.error !== null && (
        <Problem error={groups.error} onRetry={() => void groups.refetch()} />
      )}
      <Table
        label={t.label}
        columns={columns}
        rows={listed}
        rowKey={({ id }) => id}
        href={({ id }) => `/groups?group=${id}`}
        isMarked={({ id }) => id === open?.id}
        empty={
          <Empty title={t.empty}>
            <p>{t.emptyHint}</p>
          </Empty>
        }
        more={groups}
      />
      {isNew && (
        <GroupForm
          error={create.error}
          busy={create.isPending}
          onSave={(body) => create.mutate({ body })}
          onClose={() => setNew(false)}
        />
      )}
      {open !== undefined && (
        <GroupDrawer key={open.id} group={open} onClose={() => setParams({ group: undefined })} />
      )}
    </ListPage>
  );
}
