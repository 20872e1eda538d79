import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { ENABLED, keyColumns } from "./key-columns.tsx";
import { KeyForm, type KeyFields, type Token } from "./key-form.tsx";
import { NewSecret } from "./new-secret.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { KEY_TEXTS } from "./texts.ts";

const PAGE_SIZE = 100;

type Open =
  | { readonly what: "new" }
  | { readonly what: "remove" | "rotate"; readonly token: Token };

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
  const [params, setParams] = useQueryState();
  const edited = tokens.data?.data.items.find(({ id }) => String(id) === params.get("key"));
  const close = (): void => {
    setOpen(undefined);
    setParams({ key: undefined });
  };

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
    if (edited === undefined) return create.mutate({ body: fields as never });
    update.mutate(
      { params: { path: { id: String(edited.id) } }, body: fields as never },
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

  const columns = keyColumns(t, {
    edit: ({ id }) => setParams({ key: String(id) }),
    toggle,
    rotate: (token) => setOpen({ what: "rotate", token }),
    endOld: ({ id }) => endOld.mutate({ params: { path: { id: String(id) } } }),
    remove: (token) => setOpen({ what: "remove", token }),
  });
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
      {(open?.what === "new" || edited !== undefined) && (
        <KeyForm
          key={edited?.id}
          {...(edited === undefined ? {} : { token: edited })}
          busy={create.isPending || update.isPending}
          error={edited === undefined ? create.error : update.error}
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
