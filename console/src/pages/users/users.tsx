import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { PAGES_BY_ID } from "../../api/pages-by-id.ts";
import { useTexts } from "../../app/language.ts";
import { ListPage } from "../../app/list-page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Select } from "../../ui/field.tsx";
import { Filters } from "../../ui/filters.tsx";
import { money } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { SearchInput } from "../../ui/search-input.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { NewUserForm } from "./new-user-form.tsx";
import { USER_TEXTS } from "./texts.ts";
import { UserDrawer } from "./user-drawer.tsx";
import { ENABLED, ROLES, STATUSES, useNames, useOpenUser, type ListedUser } from "./user.ts";

/** Users with role, place, quota and spending. */
export function Page() {
  const t = useTexts(USER_TEXTS);
  const client = useQueryClient();
  const [params, setParams] = useQueryState();
  const [isNew, setNew] = useState(false);
  const { teams, groups } = useNames();
  const query = queryOf(params);
  const users = hooks.useInfiniteQuery("get", "/api/user", { params: { query } }, PAGES_BY_ID);
  const create = hooks.useMutation("post", "/api/user", {
    onSuccess({ data }) {
      setNew(false);
      toast(t.created(data.username));
      void client.invalidateQueries({ queryKey: ["get", "/api/user"] });
    },
    onError: () => undefined,
  });
  const listed = users.data?.pages.flatMap(({ data }) => data.items);
  const open = useOpenUser(params.get("user"), listed);
  const columns: readonly Column<ListedUser>[] = [
    { name: "name", label: t.name, cell: ({ username }) => username },
    { name: "email", label: t.email, from: "lg", cell: ({ email }) => email ?? "–" },
    { name: "role", label: t.role, width: "8rem", cell: (user) => <RoleOf user={user} /> },
    { name: "status", label: t.status, width: "6rem", cell: (user) => <Status user={user} /> },
    {
      name: "team",
      label: t.team,
      width: "9rem",
      from: "sm",
      cell: ({ team_id: id }) => (id === null ? "–" : (teams.get(id) ?? id)),
    },
    {
      name: "group",
      label: t.group,
      width: "8rem",
      from: "lg",
      cell: ({ group_id: id }) => (id === null ? "–" : (groups.get(id) ?? id)),
    },
    {
      name: "month",
      label: t.month,
      align: "end",
      width: "7rem",
      cell: ({ used_month_usd }) => money(used_month_usd),
    },
    {
      name: "quota",
      label: t.quota,
      align: "end",
      width: "7rem",
      cell: ({ quota_usd: quota }) => (quota === null ? t.unlimited : money(quota)),
    },
    {
      name: "created",
      label: t.made,
      width: "8rem",
      from: "xl",
      cell: (user) => <Ago at={user.created_at} />,
    },
  ];
  return (
    <ListPage
      title={t.title}
      equal={{ path: "/api/user", query }}
      command="sluice users list"
      create={t.create}
      onCreate={() => setNew(true)}
    >
      <Filters>
        <SearchInput label={t.search} />
        <Select
          aria-label={t.role}
          className="w-40"
          value={query.role ?? ""}
          onChange={(event) => setParams({ role: event.target.value })}
          choices={[
            { value: "", label: t.anyRole },
            ...ROLES.map((value) => ({ value, label: t.roles[value] })),
          ]}
        />
        <Select
          aria-label={t.status}
          className="w-40"
          value={query.status ?? ""}
          onChange={(event) => setParams({ status: event.target.value })}
          choices={[
            { value: "", label: t.anyStatus },
            { value: "enabled", label: t.enabled },
            { value: "disabled", label: t.disabled },
          ]}
        />
        <Place name="team" any={t.anyTeam} names={teams} />
        <Place name="group" any={t.anyGroup} names={groups} />
      </Filters>
      {users.error !== null && <Problem error={users.error} onRetry={() => void users.refetch()} />}
      <Table
        label={t.label}
        columns={columns}
        rows={listed}
        rowKey={({ id }) => id}
        href={({ id }) => {
          const next = new URLSearchParams(params);
          next.set("user", String(id));
          return `/users?${next}`;
        }}
        isMarked={({ id }) => id === open?.id}
        empty={<Empty title={t.nothing} />}
        more={users}
      />
      {isNew && (
        <NewUserForm
          error={create.error}
          busy={create.isPending}
          onSave={(body) => create.mutate({ body })}
          onClose={() => setNew(false)}
        />
      )}
      {open !== undefined && (
        <UserDrawer key={open.id} user={open} onClose={() => setParams({ user: undefined })} />
      )}
    </ListPage>
  );
}

/** The filters of the address that the gateway knows; others would be refused. */
function queryOf(params: URLSearchParams) {
  const q = (params.get("q") ?? "").trim();
  const role = ROLES.find((each) => each === params.get("role"));
  const status = STATUSES.find((each) => each === params.get("status"));
  const group = Number(params.get("group"));
  const team = Number(params.get("team"));
  return {
    ...(q === "" ? {} : { q }),
    ...(role === undefined ? {} : { role }),
    ...(status === undefined ? {} : { status }),
    ...(group > 0 ? { group } : {}),
    ...(team > 0 ? { team } : {}),
  };
}

/** A filter by team or group. */
function Place({
  name,
  any,
  names,
}: {
  readonly name: "team" | "group";
  readonly any: string;
  readonly names: ReadonlyMap<number, string>;
}) {
  const t = useTexts(USER_TEXTS);
  const [params, setParams] = useQueryState();
  return (
    <Select
      aria-label={t[name]}
      className="w-40"
      value={params.get(name) ?? ""}
      onChange={(event) => setParams({ [name]: event.target.value })}
      choices={[
        { value: "", label: any },
        ...[...names].map(([id, label]) => ({ value: String(id), label })),
      ]}
    />
  );
}

function RoleOf({ user }: { readonly user: ListedUser }) {
  const t = useTexts(USER_TEXTS);
  if (user.kind === "service") return <Badge>{t.service}</Badge>;
  return <Badge tone={user.role === "user" ? "neutral" : "info"}>{t.roles[user.role]}</Badge>;
}

function Status({ user }: { readonly user: ListedUser }) {
  const t = useTexts(USER_TEXTS);
  const isEnabled = user.status === ENABLED;
  return <Badge tone={isEnabled ? "good" : "bad"}>{isEnabled ? t.enabled : t.disabled}</Badge>;
}
