import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Plus } from "lucide-react";
import { useId, useState } from "react";
import { Link } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { clockTime, money } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Popover, PopoverButton } from "../../ui/popover.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { KeyForm, type KeyFields, type Token } from "./key-form.tsx";
import { NewSecret } from "./new-secret.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { KEY_TEXTS } from "./texts.ts";

const PAGE_SIZE = 100;
const ENABLED = 1;

type Open =
  | { readonly what: "new" }
  | { readonly what: "edit" | "remove" | "rotate"; readonly token: Token };

/** The user's own keys. */
export function Page() {
  const t = useTexts(KEY_TEXTS);
  const client = useQueryClient();
  const [page, setPage] = useState(1);
  const query = { p: String(page), page_size: String(PAGE_SIZE) };
  const tokens = hooks.useQuery("get", "/api/token", { params: { query } as never });
  const [open, setOpen] = useState<Open>();
  const [secret, setSecret] = useState<string>();
  const refresh = (): void => void client.invalidateQueries({ queryKey: ["get", "/api/token"] });
  const close = (): void => setOpen(undefined);

  const create = hooks.useMutation("post", "/api/token", {
    onSuccess({ data }) {
      close();
      setSecret(data.key);
      refresh();
    },
    onError: () => undefined,
  });
  const update = hooks.useMutation("put", "/api/token/{id}", { onSuccess: refresh });
  const remove = hooks.useMutation("delete", "/api/token/{id}", { onSuccess: refresh });
  const endOld = hooks.useMutation("delete", "/api/key/{id}/old-secret", {
    onSuccess() {
      toast(t.endedOld);
      refresh();
    },
  });
  const save = (fields: KeyFields): void => {
    if (open?.what !== "edit") return create.mutate({ body: fields as never });
    update.mutate(
      { params: { path: { id: String(open.token.id) } }, body: fields as never },
      {
        onSuccess() {
          close();
          toast(t.saved);
        },
      },
    );
  };
  const toggle = (token: Token): void => {
    const isEnabled = token.status === ENABLED;
    update.mutate(
      {
        params: { path: { id: String(token.id) } },
        body: { status: isEnabled ? 2 : ENABLED } as never,
      },
      { onSuccess: () => toast(isEnabled ? t.disabled(token.name) : t.enabled(token.name)) },
    );
  };

  const columns: readonly Column<Token>[] = [
    {
      name: "name",
      label: t.name,
      width: "11rem",
      cell: (token) => <span className="font-medium">{token.name}</span>,
    },
    {
      name: "secret",
      label: t.secret,
      width: "6rem",
      cell: (token) => (
        <code
          className="text-xs"
          title={
            token.old_expires_at === null
              ? undefined
              : t.old(token.old_last4 ?? "", clockTime(token.old_expires_at))
          }
        >
          …{token.last4}
        </code>
      ),
    },
    { name: "state", label: t.state, width: "6rem", cell: (token) => <State token={token} /> },
    {
      name: "spent",
      label: t.spent,
      align: "end",
      width: "6rem",
      cell: ({ used_usd }) => money(used_usd),
    },
    {
      name: "today",
      label: t.today,
      align: "end",
      width: "6rem",
      cell: ({ used_day_usd }) => money(used_day_usd),
    },
    {
      name: "month",
      label: t.month,
      align: "end",
      width: "6rem",
      cell: ({ used_month_usd }) => money(used_month_usd),
    },
    {
      name: "quota",
      label: t.quota,
      align: "end",
      width: "7rem",
      cell: ({ quota_usd }) => (quota_usd === null ? t.unlimited : money(quota_usd)),
    },
    {
      name: "budgets",
      label: t.budgets,
      from: "lg",
      cell: (token) => budgetsOf(token, t),
    },
    {
      name: "models",
      label: t.models,
      width: "8rem",
      from: "xl",
      cell: ({ models }) => (models.join() === "*" ? t.allModels : models.join(", ")),
    },
    {
      name: "expires",
      label: t.expires,
      width: "8rem",
      from: "sm",
      cell: ({ expires_at }) => (expires_at === null ? t.never : <Ago at={expires_at} />),
    },
    {
      name: "actions",
      label: "",
      width: "3rem",
      cell: (token) => (
        <RowMenu
          token={token}
          onEdit={() => setOpen({ what: "edit", token })}
          onToggle={() => toggle(token)}
          onRotate={() => setOpen({ what: "rotate", token })}
          onEndOld={() => endOld.mutate({ params: { path: { id: String(token.id) } } })}
          onRemove={() => setOpen({ what: "remove", token })}
        />
      ),
    },
  ];
  const total = tokens.data?.data.total ?? 0;
  return (
    <PageFrame
      title={t.title}
      equal={{ path: "/api/token", query }}
      command="sluice keys list"
      actions={
        <Button look="main" icon={<Plus size={14} />} onClick={() => setOpen({ what: "new" })}>
          {t.create}
        </Button>
      }
    >
      {tokens.error !== null && (
        <Problem error={tokens.error} onRetry={() => void tokens.refetch()} />
      )}
      <Table
        label={t.label}
        columns={columns}
        rows={tokens.data?.data.items}
        rowKey={({ id }) => id}
        minWidth="46rem"
        empty={
          <Empty title={t.empty}>
            <p>{t.emptyHint}</p>
          </Empty>
        }
      />
      {total > PAGE_SIZE && (
        <div className="flex justify-end gap-2">
          <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
            ←
          </Button>
          <Button disabled={page * PAGE_SIZE >= total} onClick={() => setPage(page + 1)}>
            →
          </Button>
        </div>
      )}
      {(open?.what === "new" || open?.what === "edit") && (
        <KeyForm
          {...(open.what === "edit" ? { token: open.token } : {})}
          busy={create.isPending || update.isPending}
          error={open.what === "edit" ? update.error : create.error}
          onSave={save}
          onClose={close}
        />
      )}
      {open?.what === "remove" && (
        <Confirm
          title={t.removeTitle}
          action={t.remove}
          busy={remove.isPending}
          onClose={close}
          onConfirm={() =>
            remove.mutate(
              { params: { path: { id: String(open.token.id) } } },
              {
                onSuccess() {
                  close();
                  toast(t.removed(open.token.name));
                },
              },
            )
          }
        >
          {t.removeHint(open.token.name)}
        </Confirm>
      )}
      {open?.what === "rotate" && (
        <RotateKey
          token={open.token}
          onClose={close}
          onRotated={(made) => {
            close();
            setSecret(made);
            refresh();
          }}
        />
      )}
      {secret !== undefined && <NewSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </PageFrame>
  );
}

function State({ token }: { readonly token: Token }) {
  const t = useTexts(KEY_TEXTS);
  if (token.expires_at !== null && token.expires_at <= Date.now() / 1_000)
    return <Badge tone="warn">{t.states.expired}</Badge>;
  if (token.status !== ENABLED) return <Badge>{t.states.disabled}</Badge>;
  return <Badge tone="good">{t.states.enabled}</Badge>;
}

function RowMenu({
  token,
  onEdit,
  onToggle,
  onRotate,
  onEndOld,
  onRemove,
}: {
  readonly token: Token;
  readonly onEdit: () => void;
  readonly onToggle: () => void;
  readonly onRotate: () => void;
  readonly onEndOld: () => void;
  readonly onRemove: () => void;
}) {
  const t = useTexts(KEY_TEXTS);
  const id = useId();
  return (
    <>
      <PopoverButton for={id} label={`${t.edit}: ${token.name}`}>
        <Ellipsis size={16} />
      </PopoverButton>
      <Popover id={id} label={token.name}>
        <div className="flex flex-col items-stretch gap-1">
          <Link
            href={`/logs?token=${token.id}`}
            className="hover:bg-hover rounded-md px-2.5 py-1.5 text-sm"
          >
            {t.calls}
          </Link>
          <Button look="quiet" className="justify-start" onClick={onEdit}>
            {t.edit}
          </Button>
          <Button look="quiet" className="justify-start" onClick={onToggle}>
            {token.status === ENABLED ? t.disable : t.enable}
          </Button>
          <Button look="quiet" className="justify-start" onClick={onRotate}>
            {t.rotate}
          </Button>
          {token.old_expires_at !== null && (
            <Button look="quiet" className="justify-start" onClick={onEndOld}>
              {t.endOld}
            </Button>
          )}
          <Button look="quiet" className="text-bad justify-start" onClick={onRemove}>
            {t.remove}
          </Button>
        </div>
      </Popover>
    </>
  );
}

function budgetsOf(
  { budgets }: Token,
  t: ReturnType<typeof useTexts<typeof KEY_TEXTS.en>>,
): string {
  const found = budgets
    .filter(({ limit_usd }) => limit_usd !== null)
    .map(({ used_usd, limit_usd, period }) =>
      t.left(money(used_usd), money(limit_usd), t.periods[period]),
    );
  return found.length === 0 ? t.unlimited : found.join(", ");
}
