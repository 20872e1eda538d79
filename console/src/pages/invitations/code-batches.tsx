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
import { TextField } from "../../ui/field.tsx";
import { count, money } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { State } from "./state.tsx";
import { INVITATION_TEXTS } from "./texts.ts";

type Batch = Schemas["CodeBatch"];

const PAGE_SIZE = 100;
const DAY_S = 86_400;

/** Batches of redemption codes. The codes show once, when they are made. */
export function CodeBatches({ tabs }: { readonly tabs: ReactNode }) {
  const t = useTexts(INVITATION_TEXTS);
  const mayChange = isAtLeast(useUser().role, "admin");
  const client = useQueryClient();
  const [isNew, setNew] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const [asks, setAsks] = useState<Batch>();
  const query = { page_size: PAGE_SIZE };
  const batches = hooks.useInfiniteQuery(
    "get",
    "/api/code-batch",
    { params: { query } },
    PAGES_BY_ID,
  );
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ["get", "/api/code-batch"] });
  const revoke = hooks.useMutation("delete", "/api/code-batch/{id}", {
    onSuccess() {
      setAsks(undefined);
      toast(t.revoked);
      refresh();
    },
  });
  const columns: readonly Column<Batch>[] = [
    { name: "note", label: t.note, cell: ({ id, note }) => note ?? `#${id}` },
    { name: "state", label: t.state, width: "6rem", cell: ({ state }) => <State state={state} /> },
    {
      name: "value",
      label: t.value,
      align: "end",
      width: "7rem",
      cell: ({ value_usd }) => money(value_usd),
    },
    {
      name: "redeemed",
      label: t.redeemed,
      align: "end",
      width: "8rem",
      cell: (batch) => `${count(batch.redeemed)} / ${count(batch.count)}`,
    },
    {
      name: "end",
      label: t.end,
      width: "9rem",
      cell: ({ expires_at: end }) => (end === null ? t.never : <Ago at={end} />),
    },
    {
      name: "actions",
      label: "",
      width: "7rem",
      cell: (batch) =>
        mayChange &&
        batch.state === "open" && (
          <Button look="quiet" className="text-bad h-7" onClick={() => setAsks(batch)}>
            {t.revoke}
          </Button>
        ),
    },
  ];
  return (
    <PageFrame
      title={t.codes}
      equal={{ path: "/api/code-batch", query }}
      command="sluice codes list"
      actions={
        mayChange && <CreateButton onClick={() => setNew(true)}>{t.createCodes}</CreateButton>
      }
    >
      {tabs}
      {batches.error !== null && <Problem error={batches.error} />}
      <Table
        label={t.codes}
        columns={columns}
        rows={batches.data?.pages.flatMap(({ data }) => data.items)}
        rowKey={({ id }) => id}
        empty={
          <Empty title={t.noCodes}>
            <p>{t.noCodesHint}</p>
          </Empty>
        }
        more={batches}
      />
      {isNew && (
        <NewCodes
          onClose={() => setNew(false)}
          onMade={(made) => {
            setNew(false);
            setCodes(made);
            refresh();
          }}
        />
      )}
      {codes !== undefined && (
        <Dialog
          title={t.codes}
          onClose={() => setCodes(undefined)}
          actions={
            <Button look="main" onClick={() => setCodes(undefined)}>
              {t.done}
            </Button>
          }
        >
          <p className="text-warn mb-3 text-sm">{t.codesHint}</p>
          <Code text={codes.join("\n")} label={t.codes} />
        </Dialog>
      )}
      {asks !== undefined && (
        <Confirm
          title={t.revokeCodesTitle}
          action={t.revoke}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate({ params: { path: { id: String(asks.id) } } })}
          onClose={() => setAsks(undefined)}
        >
          {t.revokeCodesHint(count(asks.count - asks.redeemed))}
        </Confirm>
      )}
    </PageFrame>
  );
}

function NewCodes({
  onMade,
  onClose,
}: {
  readonly onMade: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const t = useTexts(INVITATION_TEXTS);
  const [form, field] = useFields({ number: "10", value: "", days: "", note: "" });
  const create = hooks.useMutation("post", "/api/code-batch", {
    onSuccess: (made) => typeof made !== "string" && onMade(made.data.codes),
    onError: () => undefined,
  });
  return (
    <Dialog
      title={t.createCodes}
      onClose={onClose}
      actions={
        <Button look="main" type="submit" form="codes-form" busy={create.isPending}>
          {t.make}
        </Button>
      }
    >
      <form
        id="codes-form"
        className="grid grid-cols-1 gap-3 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({
            body: {
              count: Number(form.number),
              value_usd: form.value,
              ...(form.note === "" ? {} : { note: form.note }),
              ...(form.days === "" ? {} : { expires_in_seconds: Number(form.days) * DAY_S }),
            },
          });
        }}
      >
        {create.error !== null && (
          <div className="sm:col-span-2">
            <Problem error={create.error} />
          </div>
        )}
        <TextField
          label={t.number}
          type="number"
          min={1}
          max={10_000}
          required
          {...field("number")}
        />
        <TextField label={t.valueUsd} inputMode="decimal" required {...field("value")} />
        <TextField label={t.codeDays} type="number" min={1} max={3_650} {...field("days")} />
        <TextField label={t.note} maxLength={500} {...field("note")} />
      </form>
    </Dialog>
  );
}
