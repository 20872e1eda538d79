import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Checkbox, TextArea } from "../../ui/field.tsx";
import { money } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { MemberBudgets } from "./member-budgets.tsx";
import { namesIn } from "./names-in.ts";
import { TEAM_TEXTS } from "./texts.ts";

type Member = Schemas["TeamMember"];

const PAGE_SIZE = 100;

/** The members of a team: for admins, and for its owners within their rights. */
export function Members({
  id,
  mayChange,
}: {
  readonly id: number;
  /** Whether members may be added, and made owners. */
  readonly mayChange: boolean;
}) {
  const t = useTexts(TEAM_TEXTS);
  const client = useQueryClient();
  const path = { id: String(id) };
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
  const [bounded, setBounded] = useState<number>();
  const own = useUser();
  const isManaging = mayChange || (own.team_role === "owner" && own.team_id === id);
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
      cell: (member) =>
        isAtLeast(own.role, "auditor") ? (
          <Link href={`/users?user=${member.user_id}`} className="text-accent hover:underline">
            {member.username}
          </Link>
        ) : (
          member.username
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
      name: "budget",
      label: t.budgetMonth,
      align: "end",
      width: "8rem",
      from: "sm",
      cell: ({ budget_month_usd: budget }) => (budget === null ? t.unlimited : money(budget)),
    },
    {
      name: "actions",
      label: "",
      width: "19rem",
      cell: (member) => (
        <span className="flex justify-end gap-1">
          <Button look="quiet" className="h-7" onClick={() => setBounded(member.user_id)}>
            {t.budgets}
          </Button>
          {mayChange && (
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
          )}
          {(mayChange || (isManaging && member.role !== "owner")) && (
            <Button look="quiet" className="text-bad h-7" onClick={() => setAsks(member)}>
              {t.takeOut}
            </Button>
          )}
        </span>
      ),
    },
  ];
  const listed = members.data?.pages.flatMap(({ data }) => data.items);
  const open = listed?.find(({ user_id }) => user_id === bounded);
  return (
    <Section title={t.members}>
      {members.error !== null && <Problem error={members.error} />}
      <Table
        label={t.members}
        columns={columns}
        rows={listed}
        rowKey={({ user_id }) => user_id}
        empty={<p className="text-muted text-sm">{t.noMembers}</p>}
        more={members}
      />
      {mayChange && <AddMembers id={path.id} onAdded={refresh} />}
      {open !== undefined && (
        <MemberBudgets
          teamId={path.id}
          member={open}
          mayChange={isManaging}
          onChanged={refresh}
          onClose={() => setBounded(undefined)}
        />
      )}
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
