import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { Checkbox, TextArea } from "../../ui/field.tsx";
import { money } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { namesIn } from "./names-in.ts";
import { TeamForm } from "./team-form.tsx";
import { TEAM_TEXTS } from "./texts.ts";

type Team = Schemas["Team"];
type Member = Schemas["TeamMember"];

const PAGE_SIZE = 100;

interface TeamDrawerProps {
  readonly team: Team;
  readonly onClose: () => void;
}

/** One team: its budgets, its members, and changes of both. */
export function TeamDrawer({ team, onClose }: TeamDrawerProps) {
  const t = useTexts(TEAM_TEXTS);
  const mayChange = isAtLeast(useUser().role, "admin");
  const facts = [
    [t.today, money(team.used_day_usd)],
    [t.month, money(team.used_month_usd)],
    [t.total, money(team.used_usd)],
    [t.budgetMonth, team.budget_month_usd === null ? t.unlimited : money(team.budget_month_usd)],
    [t.budgetDay, team.budget_day_usd === null ? t.unlimited : money(team.budget_day_usd)],
    [t.quota, team.quota_usd === null ? t.unlimited : money(team.quota_usd)],
  ] as const;
  return (
    <Dialog shape="drawer" title={team.name} onClose={onClose}>
      <div className="flex flex-col gap-5">
        {mayChange && <Actions team={team} onClose={onClose} />}
        <dl className="grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
          {facts.map(([label, value]) => (
            <div key={label} className="flex gap-2">
              <dt className="text-muted w-36 shrink-0">{label}</dt>
              <dd className="figures">{value}</dd>
            </div>
          ))}
        </dl>
        <Members team={team} mayChange={mayChange} />
      </div>
    </Dialog>
  );
}

function Actions({ team, onClose }: TeamDrawerProps) {
  const t = useTexts(TEAM_TEXTS);
  const client = useQueryClient();
  const [params, setParams] = useQueryState();
  const [asks, setAsks] = useState<"edit" | "remove" | undefined>(() =>
    params.has("edit") ? "edit" : undefined,
  );
  const closeForm = (): void => {
    setAsks(undefined);
    setParams({ edit: undefined });
  };
  const path = { id: String(team.id) };
  const refresh = (): void => void client.invalidateQueries({ queryKey: ["get", "/api/team"] });
  const update = hooks.useMutation("put", "/api/team/{id}", {
    onSuccess() {
      closeForm();
      toast(t.saved);
      refresh();
    },
    onError: () => undefined,
  });
  const remove = hooks.useMutation("delete", "/api/team/{id}", {
    onSuccess() {
      toast(t.removed(team.name));
      refresh();
      onClose();
    },
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setAsks("edit")}>{t.edit}</Button>
      <Button look="danger" onClick={() => setAsks("remove")}>
        {t.remove}
      </Button>
      {asks === "edit" && (
        <TeamForm
          team={team}
          error={update.error}
          busy={update.isPending}
          onSave={(body) => update.mutate({ params: { path }, body })}
          onClose={closeForm}
        />
      )}
      {asks === "remove" && (
        <Confirm
          title={t.removeTitle(team.name)}
          action={t.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { path } })}
          onClose={() => setAsks(undefined)}
        >
          {t.removeHint}
        </Confirm>
      )}
    </div>
  );
}

function Members({ team, mayChange }: { readonly team: Team; readonly mayChange: boolean }) {
  const t = useTexts(TEAM_TEXTS);
  const client = useQueryClient();
  const path = { id: String(team.id) };
  const members = hooks.useInfiniteQuery(
    "get",
    "/api/team/{id}/member",
    { params: { path } },
    {
      pageParamName: "after",
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ data: { items } }) =>
        items.length < PAGE_SIZE ? undefined : items.at(-1)?.user_id,
    },
  );
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ["get", "/api/team/{id}/member"] });
  const [asks, setAsks] = useState<Member>();
  const change = hooks.useMutation("put", "/api/team/{id}/member/{user}", { onSuccess: refresh });
  const remove = hooks.useMutation("post", "/api/team/{id}/member/batch", {
    onSuccess() {
      setAsks(undefined);
      refresh();
    },
  });
  const columns: readonly Column<Member>[] = [
    {
      name: "name",
      label: t.member,
      cell: (member) => (
        <Link href={`/users?user=${member.user_id}`} className="text-accent hover:underline">
          {member.username}
        </Link>
      ),
    },
    {
      name: "role",
      label: t.role,
      width: "7rem",
      cell: ({ role }) => <Badge tone={role === "owner" ? "info" : "neutral"}>{t[role]}</Badge>,
    },
    {
      name: "month",
      label: t.month,
      align: "end",
      width: "7rem",
      cell: ({ used_month_usd }) => money(used_month_usd),
    },
    {
      name: "actions",
      label: "",
      width: "15rem",
      from: "sm",
      cell: (member) =>
        mayChange && (
          <span className="flex justify-end gap-1">
            <Button
              look="quiet"
              className="h-7"
              onClick={() =>
                change.mutate({
                  params: { path: { ...path, user: String(member.user_id) } },
                  body: { role: member.role === "owner" ? "member" : "owner" },
                })
              }
            >
              {member.role === "owner" ? t.makeMember : t.makeOwner}
            </Button>
            <Button look="quiet" className="text-bad h-7" onClick={() => setAsks(member)}>
              {t.takeOut}
            </Button>
          </span>
        ),
    },
  ];
  return (
    <Section title={t.members}>
      {members.error !== null && <Problem error={members.error} />}
      <Table
        label={t.members}
        columns={columns}
        rows={members.data?.pages.flatMap(({ data }) => data.items)}
        rowKey={({ user_id }) => user_id}
        empty={<p className="text-muted text-sm">{t.noMembers}</p>}
        foot={
          members.hasNextPage && (
            <Button onClick={() => void members.fetchNextPage()}>{t.more}</Button>
          )
        }
      />
      {mayChange && <AddMembers id={path.id} onAdded={refresh} />}
      {asks !== undefined && (
        <Confirm
          title={t.takeOutTitle(asks.username)}
          action={t.takeOut}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { path }, body: { user_ids: [asks.user_id] } })}
          onClose={() => setAsks(undefined)}
        >
          {t.takeOutHint}
        </Confirm>
      )}
    </Section>
  );
}

function AddMembers({ id, onAdded }: { readonly id: string; readonly onAdded: () => void }) {
  const t = useTexts(TEAM_TEXTS);
  const [names, setNames] = useState("");
  const [mayMove, setMayMove] = useState(false);
  const add = hooks.useMutation("post", "/api/team/{id}/member", {
    onSuccess() {
      setNames("");
      onAdded();
    },
    onError: () => undefined,
  });
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const members = namesIn(names).map((username) => ({ username }));
        add.mutate({ params: { path: { id } }, body: { members, move: mayMove } });
      }}
    >
      <TextArea
        label={t.addMembers}
        hint={t.membersHint}
        rows={3}
        required
        value={names}
        onChange={(event) => setNames(event.target.value)}
      />
      <Checkbox
        label={t.move}
        checked={mayMove}
        onChange={(event) => setMayMove(event.target.checked)}
      />
      {add.error !== null && <Problem error={add.error} />}
      <Button type="submit" className="self-start" busy={add.isPending}>
        {t.add}
      </Button>
    </form>
  );
}
