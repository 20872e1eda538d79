import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { hooks, type Schemas } from "../../api/client.ts";
import { PAGES_BY_ID } from "../../api/pages-by-id.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Button } from "../../ui/button.tsx";
import { CreateButton } from "../../ui/create-button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { count } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { InvitationForm } from "./invitation-form.tsx";
import { State } from "./state.tsx";
import { INVITATION_TEXTS } from "./texts.ts";

type Invitation = Schemas["Invitation"];

const PAGE_SIZE = 100;

export function InvitationList({ tabs }: { readonly tabs: ReactNode }) {
  const t = useTexts(INVITATION_TEXTS);
  const user = useUser();
  const client = useQueryClient();
  const [isNew, setNew] = useState(false);
  const [asks, setAsks] = useState<Invitation>();
  const [link, setLink] = useState<string>();
  const query = { page_size: PAGE_SIZE };
  const invitations = hooks.useInfiniteQuery(
    "get",
    "/api/invitation",
    { params: { query } },
    PAGES_BY_ID,
  );
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ["get", "/api/invitation"] });
  const create = hooks.useMutation("post", "/api/invitation", {
    onSuccess({ data }) {
      setNew(false);
      refresh();
      if (data.is_mailed) return toast(t.mailed(data.invitation.email ?? ""));
      setLink(data.link ?? `${location.origin}/account/invitation#${data.token}`);
    },
    onError: () => undefined,
  });
  const revoke = hooks.useMutation("delete", "/api/invitation/{id}", {
    onSuccess() {
      setAsks(undefined);
      toast(t.revoked);
      refresh();
    },
  });
  const mayInvite = isAtLeast(user.role, "admin") || user.team_role === "owner";
  const columns: readonly Column<Invitation>[] = [
    {
      name: "for",
      label: t.for,
      cell: ({ email, note }) => (
        <span title={email ?? note ?? undefined}>{email ?? note ?? t.anyone}</span>
      ),
    },
    { name: "state", label: t.state, width: "6rem", cell: ({ state }) => <State state={state} /> },
    { name: "role", label: t.role, width: "8rem", cell: ({ role }) => t.roles[role] },
    { name: "team", label: t.team, width: "9rem", from: "sm", cell: ({ team }) => team ?? "–" },
    { name: "group", label: t.group, width: "9rem", from: "lg", cell: ({ group }) => group ?? "–" },
    {
      name: "uses",
      label: t.uses,
      align: "end",
      width: "6rem",
      cell: (each) => `${count(each.uses)} / ${count(each.max_uses)}`,
    },
    { name: "by", label: t.by, width: "9rem", from: "lg", cell: (each) => each.created_by_name },
    { name: "end", label: t.end, width: "9rem", cell: (each) => <Ago at={each.expires_at} /> },
    {
      name: "actions",
      label: "",
      width: "7rem",
      cell: (each) =>
        mayInvite &&
        each.state === "open" && (
          <Button look="quiet" className="text-bad h-7" onClick={() => setAsks(each)}>
            {t.revoke}
          </Button>
        ),
    },
  ];
  return (
    <PageFrame
      title={t.title}
      equal={{ path: "/api/invitation", query }}
      command="sluice invitations list"
      actions={mayInvite && <CreateButton onClick={() => setNew(true)}>{t.create}</CreateButton>}
    >
      {tabs}
      {invitations.error !== null && <Problem error={invitations.error} />}
      <Table
        label={t.title}
        columns={columns}
        rows={invitations.data?.pages.flatMap(({ data }) => data.items)}
        rowKey={({ id }) => id}
        empty={
          <Empty title={t.empty}>
            <p>{t.emptyHint}</p>
          </Empty>
        }
        more={invitations}
      />
      {isNew && (
        <InvitationForm
          error={create.error}
          busy={create.isPending}
          onSave={(body) => create.mutate({ body })}
          onClose={() => setNew(false)}
        />
      )}
      {link !== undefined && (
        <Dialog
          title={t.linkTitle}
          onClose={() => setLink(undefined)}
          actions={
            <Button look="main" onClick={() => setLink(undefined)}>
              {t.done}
            </Button>
          }
        >
          <p className="text-warn mb-3 text-sm">{t.linkHint}</p>
          <Code text={link} label={t.link} />
        </Dialog>
      )}
      {asks !== undefined && (
        <Confirm
          title={t.revokeTitle}
          action={t.revoke}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate({ params: { path: { id: String(asks.id) } } })}
          onClose={() => setAsks(undefined)}
        >
          {t.revokeHint}
        </Confirm>
      )}
    </PageFrame>
  );
}
