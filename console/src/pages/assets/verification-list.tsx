import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { useUser } from "../../app/user.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CreateButton } from "../../ui/create-button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago, At } from "../../ui/time.tsx";
import { pageIn, PAGE_SIZE } from "./asset.ts";
import { Pager } from "./pager.tsx";
import { ASSET_TEXTS } from "./texts.ts";

/** Users come with the verifications of all. */
type Verification = Schemas["OwnVerification"] & Partial<Schemas["ListedVerification"]>;

const REFRESH_MS = 5_000;
const RUNNING: readonly Verification["state"][] = ["open", "asking", "unsure"];
const TONES: Record<Verification["state"], Tone> = {
  open: "info",
  asking: "info",
  unsure: "warn",
  passed: "good",
  failed: "bad",
  expired: "neutral",
};

export function VerificationList({
  tabs,
  isAll,
}: {
  readonly tabs: ReactNode;
  readonly isAll: boolean;
}) {
  const t = useTexts(ASSET_TEXTS);
  const client = useQueryClient();
  const own = useUser().id;
  const [params] = useQueryState();
  const [isNew, setNew] = useState(false);
  const [begun, setBegun] = useState<{ readonly link: string; readonly token: string }>();
  const query = { p: pageIn(params), page_size: PAGE_SIZE };
  const path = isAll ? "/api/asset/verification" : "/api/asset/self/verification";
  const verifications = hooks.useQuery(
    "get",
    path as "/api/asset/self/verification",
    { params: { query } },
    {
      refetchInterval: ({ state }) =>
        state.data?.data.items.some((each) => RUNNING.includes(each.state)) === true && REFRESH_MS,
    },
  );
  const columns: readonly Column<Verification>[] = [
    {
      name: "created",
      label: t.begunAt,
      width: "9rem",
      cell: (each) => <At at={each.created_at} />,
    },
    {
      name: "state",
      label: t.state,
      width: "8rem",
      cell: ({ state }) => (
        <Badge tone={TONES[state]} title={t.verificationHints[state]}>
          {t.verificationStates[state]}
        </Badge>
      ),
    },
    ...(isAll
      ? [
          {
            name: "user",
            label: t.user,
            width: "9rem" as const,
            cell: ({ user_name: name, user_id: id }: Verification) => name ?? id,
          },
        ]
      : []),
    { name: "channel", label: t.channelOf, width: "10rem", cell: ({ channel }) => channel },
    {
      name: "result",
      label: t.result,
      width: "9rem",
      cell: ({ result_code: code }) => code ?? "–",
    },
    {
      name: "group",
      label: t.group,
      cell: ({ group_id: id, user_id: user = own }) =>
        // Only the own library opens here.
        id === null || user !== own ? (
          (id ?? "–")
        ) : (
          <Link
            href={`/assets?group=${encodeURIComponent(id)}`}
            className="text-accent hover:underline"
          >
            {id}
          </Link>
        ),
    },
    { name: "ends", label: t.ends, width: "9rem", cell: (each) => <Ago at={each.ends_at} /> },
  ];
  return (
    <PageFrame
      title={t.title}
      equal={{ path, query }}
      {...(isAll ? { command: "sluice assets verifications" } : {})}
      actions={<CreateButton onClick={() => setNew(true)}>{t.begin}</CreateButton>}
    >
      {tabs}
      {verifications.error !== null && (
        <Problem error={verifications.error} onRetry={() => void verifications.refetch()} />
      )}
      <Table
        label={t.verificationsLabel}
        columns={columns}
        rows={verifications.data?.data.items}
        rowKey={({ id }) => id}
        empty={
          <Empty title={t.noVerifications}>
            <p>{t.noVerificationsHint}</p>
          </Empty>
        }
      />
      <Pager total={verifications.data?.data.total} />
      {isNew && (
        <Begin
          onClose={() => setNew(false)}
          onBegun={(made) => {
            setNew(false);
            setBegun(made);
            void client.invalidateQueries({ queryKey: ["get", path] });
          }}
        />
      )}
      {begun !== undefined && (
        <Dialog
          title={t.begun}
          onClose={() => setBegun(undefined)}
          actions={
            <Button look="main" onClick={() => setBegun(undefined)}>
              {t.done}
            </Button>
          }
        >
          <div className="flex flex-col gap-3">
            <p className="text-sm">{t.beginHint}</p>
            <Code text={begun.link} label={t.link} />
            <p className="text-warn text-sm">{t.tokenHint}</p>
            <Code text={begun.token} label={t.token} />
          </div>
        </Dialog>
      )}
    </PageFrame>
  );
}

function Begin({
  onBegun,
  onClose,
}: {
  readonly onBegun: (begun: { readonly link: string; readonly token: string }) => void;
  readonly onClose: () => void;
}) {
  const t = useTexts(ASSET_TEXTS);
  const [url, setUrl] = useState("");
  const begin = hooks.useMutation("post", "/api/asset/self/verification", {
    onSuccess: ({ data }) => onBegun(data),
    onError: () => undefined,
  });
  return (
    <FormDialog
      title={t.begin}
      action={t.beginAction}
      busy={begin.isPending}
      error={begin.error}
      onSave={() => begin.mutate({ body: { callback_url: url.trim() } })}
      onClose={onClose}
    >
      <p className="text-muted text-sm">{t.beginHint}</p>
      <TextField
        label={t.callback}
        hint={t.callbackHint}
        type="url"
        required
        autoFocus
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
    </FormDialog>
  );
}
