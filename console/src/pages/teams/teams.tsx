import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks, type Schemas } from "../../api/client.ts";
import { PAGES_BY_ID } from "../../api/pages-by-id.ts";
import { useTexts } from "../../app/language.ts";
import { ListPage } from "../../app/list-page.tsx";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Filters } from "../../ui/filters.tsx";
import { money } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { SearchInput } from "../../ui/search-input.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { Members } from "./members.tsx";
import { TeamDrawer } from "./team-drawer.tsx";
import { TeamForm } from "./team-form.tsx";
import { TEAM_TEXTS } from "./texts.ts";

type Team = Schemas["Team"];

/** Teams with their budgets and spending. Owners of a team without a role see its members. */
export function Page() {
  return isAtLeast(useUser().role, "auditor") ? <AllTeams /> : <OwnTeam />;
}

function OwnTeam() {
  const t = useTexts(TEAM_TEXTS);
  const { team_id: id } = useUser();
  return (
    <PageFrame
      title={t.own}
      {...(id === null ? {} : { equal: { path: `/api/team/${id}/member` } })}
    >
      {id === null ? <Empty title={t.noTeam} /> : <Members id={id} mayChange={false} />}
    </PageFrame>
  );
}

function AllTeams() {
  const t = useTexts(TEAM_TEXTS);
  const client = useQueryClient();
  const [params, setParams] = useQueryState();
  const [isNew, setNew] = useState(false);
  const q = (params.get("q") ?? "").trim();
  const query = q === "" ? {} : { q };
  const teams = hooks.useInfiniteQuery("get", "/api/team", { params: { query } }, PAGES_BY_ID);
  const create = hooks.useMutation("post", "/api/team", {
    onSuccess({ data }) {
      setNew(false);
      toast(t.created(data.name));
      void client.invalidateQueries({ queryKey: ["get", "/api/team"] });
    },
    onError: () => undefined,
  });
  const listed = teams.data?.pages.flatMap(({ data }) => data.items);
  const open = listed?.find(({ id }) => String(id) === params.get("team"));
  const columns: readonly Column<Team>[] = [
    { name: "name", label: t.name, cell: ({ name }) => name },
    {
      name: "today",
      label: t.today,
      align: "end",
      width: "7rem",
      cell: ({ used_day_usd }) => money(used_day_usd),
    },
    {
      name: "month",
      label: t.month,
      align: "end",
      width: "7rem",
      cell: ({ used_month_usd }) => money(used_month_usd),
    },
    {
      name: "budget",
      label: t.budgetMonth,
      align: "end",
      width: "9rem",
      cell: ({ budget_month_usd: budget }) => (budget === null ? t.unlimited : money(budget)),
    },
    {
      name: "quota",
      label: t.quota,
      align: "end",
      width: "8rem",
      from: "sm",
      cell: ({ quota_usd: quota }) => (quota === null ? t.unlimited : money(quota)),
    },
    {
      name: "created",
      label: t.made,
      width: "9rem",
      from: "lg",
      cell: (team) => <Ago at={team.created_at} />,
    },
  ];
  return (
    <ListPage
      title={t.title}
      equal={{ path: "/api/team", query }}
      command="sluice teams list"
      create={t.create}
      onCreate={() => setNew(true)}
    >
      <Filters>
        <SearchInput label={t.search} />
      </Filters>
      {teams.error !== null && <Problem error={teams.error} onRetry={() => void teams.refetch()} />}
      <Table
        label={t.label}
        columns={columns}
        rows={listed}
        rowKey={({ id }) => id}
        href={({ id }) => `/teams?${new URLSearchParams({ ...query, team: String(id) })}`}
        isMarked={({ id }) => id === open?.id}
        empty={
          <Empty title={q === "" ? t.empty : t.nothing}>{q === "" && <p>{t.emptyHint}</p>}</Empty>
        }
        more={teams}
      />
      {isNew && (
        <TeamForm
          error={create.error}
          busy={create.isPending}
          onSave={(body) => create.mutate({ body })}
          onClose={() => setNew(false)}
        />
      )}
      {open !== undefined && (
        <TeamDrawer key={open.id} team={open} onClose={() => setParams({ team: undefined })} />
      )}
    </ListPage>
  );
}
