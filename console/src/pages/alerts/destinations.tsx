import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CreateButton } from "../../ui/create-button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { DestinationForm } from "./destination-form.tsx";
import { ALERT_TEXTS } from "./texts.ts";

type Destination = Schemas["AlertDestination"];
type Open =
  | { readonly act: "new" }
  | { readonly act: "secret"; readonly secret: string }
  | { readonly act: "test" | "remove" | "rotate"; readonly destination: Destination };

/** The places that get messages about alerts. */
export function Destinations() {
  const t = useTexts(ALERT_TEXTS);
  const client = useQueryClient();
  const canAct = isAtLeast(useUser().role, "admin");
  const [open, setOpen] = useState<Open>();
  const destinations = hooks.useQuery("get", "/api/alert/destination");
  const close = (): void => setOpen(undefined);
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ["get", "/api/alert/destination"] });
  const showSecret = ({
    data: { secret },
  }: {
    readonly data: { readonly secret: string | null };
  }) => {
    refresh();
    setOpen(secret === null ? undefined : { act: "secret", secret });
  };
  const create = hooks.useMutation("post", "/api/alert/destination", { onSuccess: showSecret });
  const update = hooks.useMutation("put", "/api/alert/destination/{id}", { onSuccess: refresh });
  const rotate = hooks.useMutation("post", "/api/alert/destination/{id}/secret", {
    onSuccess: showSecret,
  });
  const remove = hooks.useMutation("delete", "/api/alert/destination/{id}", {
    onSuccess() {
      refresh();
      close();
    },
  });
  const test = hooks.useMutation("post", "/api/alert/destination/{id}/test");
  const at = ({ id }: Destination) => ({ params: { path: { id: String(id) } } });

  const columns: readonly Column<Destination>[] = [
    { name: "name", label: t.name, width: "14rem", cell: ({ name }) => name },
    { name: "kind", label: t.kind, width: "8rem", cell: ({ kind }) => t.destinationKinds[kind] },
    {
      name: "state",
      label: t.state,
      width: "7rem",
      cell: ({ status }) =>
        status === 1 ? <Badge tone="good">{t.enabled}</Badge> : <Badge>{t.disabled}</Badge>,
    },
    { name: "address", label: t.address, cell: ({ address }) => address ?? "–" },
    {
      name: "signed",
      label: t.signed,
      width: "5rem",
      from: "lg",
      cell: ({ has_secret }) => (has_secret ? "✓" : "–"),
    },
  ];
  const actions: Column<Destination> = {
    name: "actions",
    label: "",
    width: "22rem",
    cell: (destination) => (
      <span className="flex gap-1">
        <Button
          className="h-7"
          onClick={() => {
            setOpen({ act: "test", destination });
            test.mutate(at(destination));
          }}
        >
          {t.test}
        </Button>
        <Button
          className="h-7"
          busy={update.isPending}
          onClick={() =>
            update.mutate(
              { ...at(destination), body: { status: destination.status === 1 ? 2 : 1 } },
              { onSuccess: () => toast(t.saved) },
            )
          }
        >
          {destination.status === 1 ? t.disable : t.enable}
        </Button>
        {destination.kind === "webhook" && (
          <Button className="h-7" onClick={() => setOpen({ act: "rotate", destination })}>
            {t.newSecret}
          </Button>
        )}
        <Button
          className="h-7"
          look="danger"
          onClick={() => setOpen({ act: "remove", destination })}
        >
          {t.remove}
        </Button>
      </span>
    ),
  };
  const error = destinations.error ?? update.error ?? rotate.error ?? remove.error;
  return (
    <>
      {canAct && (
        <CreateButton
          className="self-start"
          onClick={() => {
            create.reset();
            setOpen({ act: "new" });
          }}
        >
          {t.addDestination}
        </CreateButton>
      )}
      {error !== null && <Problem error={error} onRetry={() => void destinations.refetch()} />}
      <Table
        label={t.tabs.destinations}
        columns={canAct ? [...columns, actions] : columns}
        rows={destinations.data?.data.items}
        rowKey={({ id }) => id}
        empty={<Empty title={t.noDestinations} />}
      />
      {open?.act === "new" && (
        <DestinationForm
          busy={create.isPending}
          error={create.error}
          onClose={close}
          onSave={(body) => create.mutate({ body })}
        />
      )}
      {open?.act === "secret" && (
        <Dialog title={t.secretTitle} onClose={close}>
          <div className="flex flex-col gap-3">
            <p className="text-warn text-sm">{t.secretHint}</p>
            <Code text={open.secret} label={t.secret} />
          </div>
        </Dialog>
      )}
      {open?.act === "test" && (
        <Dialog title={t.testTitle(open.destination.name)} onClose={close}>
          {test.isPending && <div className="skeleton h-8" aria-busy="true" />}
          {test.error !== null && <Problem error={test.error} />}
          {test.data !== undefined && <TestResult result={test.data.data} />}
        </Dialog>
      )}
      {(open?.act === "remove" || open?.act === "rotate") && (
        <Confirm
          title={open.act === "remove" ? t.removeDestination : t.newSecret}
          action={open.act === "remove" ? t.remove : t.newSecret}
          busy={remove.isPending || rotate.isPending}
          onClose={close}
          onConfirm={() => (open.act === "remove" ? remove : rotate).mutate(at(open.destination))}
        >
          {(open.act === "remove" ? t.removeDestinationHint : t.newSecretHint)(
            open.destination.name,
          )}
        </Confirm>
      )}
    </>
  );
}

function TestResult({
  result: { ok, status, answer, error },
}: {
  readonly result: {
    readonly ok: boolean;
    readonly status: number | null;
    readonly answer: string | null;
    readonly error: string | null;
  };
}) {
  const t = useTexts(ALERT_TEXTS);
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className={ok ? "text-good" : "text-bad"}>{ok ? t.tested : t.testFailed}</p>
      {status !== null && <p>{t.status(status)}</p>}
      {error !== null && <p className="break-words">{error}</p>}
      {answer !== null && answer !== "" && <Code text={answer} label={t.answer} />}
    </div>
  );
}
