import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { Checkbox, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { ACCOUNT_TEXTS } from "./texts.ts";

type AccessToken = Schemas["AccessToken"];
type Scope = NonNullable<AccessToken["scopes"]>[number];

/** Tokens of the management API. A new one may do all that its user may, or some of it. */
export function AccessTokens() {
  const t = useTexts(ACCOUNT_TEXTS);
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const [secret, setSecret] = useState<string>();
  const [asks, setAsks] = useState<AccessToken>();
  const [renamed, setRenamed] = useState<AccessToken>();
  const tokens = hooks.useQuery("get", "/api/user/self/access-token");
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ["get", "/api/user/self/access-token"] });
  const create = hooks.useMutation("post", "/api/user/self/access-token", {
    onSuccess({ data }) {
      setName("");
      setScopes([]);
      setSecret(data.token);
      refresh();
    },
    onError: () => undefined,
  });
  const revoke = hooks.useMutation("delete", "/api/user/self/access-token/{token}", {
    onSuccess() {
      setAsks(undefined);
      refresh();
    },
  });
  return (
    <Section title={t.tokens}>
      {tokens.error !== null && <Problem error={tokens.error} />}
      <Table
        label={t.tokens}
        rows={tokens.data?.data.items}
        rowKey={({ id }) => id}
        empty={<p className="text-muted text-sm">{t.noTokens}</p>}
        columns={[
          {
            name: "name",
            label: t.tokenName,
            cell: (token) => `${token.name} …${token.last4 ?? ""}`,
          },
          {
            name: "scopes",
            label: t.scopes,
            from: "sm",
            cell: ({ scopes }) => scopes?.join(", ") ?? t.allScopes,
          },
          {
            name: "used",
            label: t.seen,
            width: "9rem",
            cell: ({ used_at: at }) => (at === null ? "–" : <Ago at={at} />),
          },
          {
            name: "end",
            label: "",
            width: "11rem",
            cell: (token) => (
              <>
                <Button look="quiet" className="h-7" onClick={() => setRenamed(token)}>
                  {t.rename}
                </Button>
                <Button look="quiet" className="text-bad h-7" onClick={() => setAsks(token)}>
                  {t.revoke}
                </Button>
              </>
            ),
          },
        ]}
      />
      <form
        className="grid grid-cols-1 items-end gap-3 sm:grid-cols-[1fr_10rem_auto]"
        onSubmit={(event) => {
          event.preventDefault();
          const expires_at = expiry === "" ? null : Math.floor(Date.parse(expiry) / 1_000);
          create.mutate({
            body: {
              name: name.trim(),
              scopes: scopes.length === 0 ? null : [...scopes],
              expires_at,
            },
          });
        }}
      >
        <TextField
          label={t.tokenName}
          required
          maxLength={64}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t.expiry}
          type="date"
          value={expiry}
          onChange={(event) => setExpiry(event.target.value)}
        />
        <Button type="submit" busy={create.isPending}>
          {t.createToken}
        </Button>
        <details className="sm:col-span-3">
          <summary className="text-accent text-sm">
            {t.scopes}: {scopes.length === 0 ? t.allScopes : scopes.join(", ")}
          </summary>
          <p className="text-muted my-2 text-xs">{t.scopesHint}</p>
          <div className="grid grid-cols-1 gap-1 sm:grid-cols-2">
            {tokens.data?.data.grantable.map(({ scope }) => (
              <Checkbox
                key={scope}
                label={t.scopeNames[scope]}
                hint={<code translate="no">{scope}</code>}
                checked={scopes.includes(scope)}
                onChange={({ target }) =>
                  setScopes((before) =>
                    target.checked ? [...before, scope] : before.filter((each) => each !== scope),
                  )
                }
              />
            ))}
          </div>
        </details>
      </form>
      {create.error !== null && <Problem error={create.error} />}
      {secret !== undefined && (
        <Dialog title={t.tokens} onClose={() => setSecret(undefined)}>
          <p className="text-warn mb-3 text-sm">{t.tokenHint}</p>
          <Code text={secret} label={t.tokens} />
        </Dialog>
      )}
      {renamed !== undefined && (
        <RenameToken
          token={renamed}
          onDone={() => {
            setRenamed(undefined);
            refresh();
          }}
          onClose={() => setRenamed(undefined)}
        />
      )}
      {asks !== undefined && (
        <Confirm
          title={t.revokeTitle(asks.name)}
          action={t.revoke}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate({ params: { path: { token: String(asks.id) } } })}
          onClose={() => setAsks(undefined)}
        >
          {t.revokeHint}
        </Confirm>
      )}
    </Section>
  );
}

function RenameToken({
  token,
  onDone,
  onClose,
}: {
  readonly token: AccessToken;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const t = useTexts(ACCOUNT_TEXTS);
  const [name, setName] = useState(token.name);
  const rename = hooks.useMutation("put", "/api/user/self/access-token/{token}", {
    onSuccess: onDone,
    onError: () => undefined,
  });
  return (
    <FormDialog
      title={t.renameTitle(token.name)}
      action={t.rename}
      busy={rename.isPending}
      error={rename.error}
      onSave={() =>
        rename.mutate({
          params: { path: { token: String(token.id) } },
          body: { name: name.trim() },
        })
      }
      onClose={onClose}
    >
      <TextField
        label={t.tokenName}
        required
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
