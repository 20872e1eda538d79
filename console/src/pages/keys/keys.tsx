import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { CreateButton } from "../../ui/create-button.tsx";
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
import { useKeys } from "./use-keys.ts";

const PAGE_SIZE = 100;

type Open =
  | { readonly what: "new" }
  | { readonly what: "remove" | "rotate"; readonly token: Token };

/** The user's own keys, or those of another user (`?user=7`), who stands below. */
export function Page() {
  const t = useTexts(KEY_TEXTS);
  const [page, setPage] = useState(1);
  const query = { p: String(page), page_size: String(PAGE_SIZE) };
  const [params, setParams] = useQueryState();
  const user = params.get("user") ?? undefined;
  const keys = useKeys(user, query);
  const owner = hooks.useQuery(
    "get",
    "/api/user/{id}",
    { params: { path: { id: user ?? "" } } },
    { enabled: user !== undefined },
  );
  const { list: tokens } = keys;
  const [open, setOpen] = useState<Open>();
  const [secret, setSecret] = useState<string>();
  const edited = tokens.data?.data.items.find(({ id }) => String(id) === params.get("key"));
  const close = (): void => {
    setOpen(undefined);
    setParams({ key: undefined });
  };
  const endOld = hooks.useMutation("delete", "/api/key/{id}/old-secret", {
    onSuccess() {
      toast(t.endedOld);
      keys.refresh();
    },
  });
  const save = (fields: KeyFields): void => {
    if (edited === undefined) {
      return keys.create(fields, (made) => {
        close();
        setSecret(made);
      });
    }
    keys.update(edited.id, fields, () => {
      close();
      toast(t.saved);
    });
  };
  const toggle = ({ id, name, status }: Token): void => {
    const isEnabled = status === ENABLED;
    keys.update(id, { status: isEnabled ? 2 : ENABLED }, () =>
      toast(isEnabled ? t.disabled(name) : t.enabled(name)),
    );
  };

  const columns = keyColumns(t, {
    edit: ({ id }) => setParams({ key: String(id) }),
    toggle,
    mayRotate: user === undefined,
    rotate: (token) => setOpen({ what: "rotate", token }),
    endOld: ({ id }) => endOld.mutate({ params: { path: { id: String(id) } } }),
    remove: (token) => setOpen({ what: "remove", token }),
  });
  const total = tokens.data?.data.total ?? 0;
  return (
    <PageFrame
      title={user === undefined ? t.title : t.titleOf(owner.data?.data.username ?? user)}
      equal={{ path: keys.path, query }}
      command={keys.command}
      actions={<CreateButton onClick={() => setOpen({ what: "new" })}>{t.create}</CreateButton>}
    >
      {tokens.error !== null && (
        <Problem error={tokens.error} onRetry={() => void tokens.refetch()} />
      )}
      <Table
        label={t.label}
        columns={columns}
        rows={tokens.data?.data.items}
        rowKey={({ id }) => id}
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
          busy={keys.creating.isPending || keys.updating.isPending}
          error={edited === undefined ? keys.creating.error : keys.updating.error}
          onSave={save}
          onClose={close}
        />
      )}
      {open?.what === "remove" && (
        <Confirm
          title={t.removeTitle}
          action={t.remove}
          busy={keys.isRemoving}
          onClose={close}
          onConfirm={() =>
            keys.remove(open.token.id, () => {
              close();
              toast(t.removed(open.token.name));
            })
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
            keys.refresh();
          }}
        />
      )}
      {secret !== undefined && <NewSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </PageFrame>
  );
}
