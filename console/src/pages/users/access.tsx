import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { count } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { USER_TEXTS } from "./texts.ts";
import { DISABLED, ENABLED, useRefreshedUsers, type ListedUser } from "./user.ts";

type Asked = "factor" | "sessions" | "disable" | "remove";

/** What lets a user in, and how it ends: disabling can be undone, deleting cannot. */
export function Access({
  user,
  onRemoved,
}: {
  readonly user: ListedUser;
  readonly onRemoved: () => void;
}) {
  const t = useTexts(USER_TEXTS);
  const refresh = useRefreshedUsers();
  const [asks, setAsks] = useState<Asked>();
  const params = { path: { id: String(user.id) } };
  const close = (): void => setAsks(undefined);
  const done = (text: string): void => {
    close();
    toast(text);
    refresh();
  };
  const onError = (): void => undefined;
  const update = hooks.useMutation("put", "/api/user/{id}", {
    onSuccess: () => done(t.saved),
    onError,
  });
  const remove = hooks.useMutation("delete", "/api/user/{id}", {
    onSuccess() {
      done(t.removed(user.username));
      onRemoved();
    },
    onError,
  });
  const dropFactor = hooks.useMutation("delete", "/api/user/{id}/second-factor", {
    onSuccess: () => done(t.factorDropped),
    onError,
  });
  const endSessions = hooks.useMutation("post", "/api/user/{id}/end-sessions", {
    onSuccess: ({ data }) => done(t.sessionsEnded(count(data.ended))),
    onError,
  });
  const asked = {
    factor: {
      title: t.dropFactorTitle(user.username),
      action: t.dropFactor,
      hint: t.dropFactorHint,
      mutation: dropFactor,
      confirm: () => dropFactor.mutate({ params }),
    },
    sessions: {
      title: t.endSessionsTitle(user.username),
      action: t.endSessions,
      hint: t.endSessionsHint,
      mutation: endSessions,
      confirm: () => endSessions.mutate({ params }),
    },
    disable: {
      title: t.disableTitle(user.username),
      action: t.disable,
      hint: t.disableHint,
      mutation: update,
      confirm: () => update.mutate({ params, body: { status: DISABLED } }),
    },
    remove: {
      title: t.removeTitle(user.username),
      action: t.remove,
      hint: t.removeHint,
      mutation: remove,
      confirm: () => remove.mutate({ params }),
    },
  } as const;
  const question = asks === undefined ? undefined : asked[asks];
  return (
    <Section title={t.access}>
      <div className="flex flex-wrap gap-2">
        {user.second_factor && <Button onClick={() => setAsks("factor")}>{t.dropFactor}</Button>}
        {user.kind === "person" && (
          <Button onClick={() => setAsks("sessions")}>{t.endSessions}</Button>
        )}
        {user.status === ENABLED ? (
          <Button onClick={() => setAsks("disable")}>{t.disable}</Button>
        ) : (
          <Button
            busy={update.isPending}
            onClick={() => update.mutate({ params, body: { status: ENABLED } })}
          >
            {t.enable}
          </Button>
        )}
        <Button look="danger" onClick={() => setAsks("remove")}>
          {t.remove}
        </Button>
      </div>
      {question !== undefined && (
        <Confirm
          title={question.title}
          action={question.action}
          busy={question.mutation.isPending}
          onConfirm={question.confirm}
          onClose={close}
        >
          <div className="flex flex-col gap-2">
            {(asks === "disable" || asks === "remove") && <OpenCalls id={user.id} />}
            <p>{question.hint}</p>
            {question.mutation.error !== null && <Problem error={question.mutation.error} />}
          </div>
        </Confirm>
      )}
    </Section>
  );
}

/** How many calls the answer ends. */
function OpenCalls({ id }: { readonly id: number }) {
  const t = useTexts(USER_TEXTS);
  const open = hooks.useQuery(
    "get",
    "/api/user/{id}/open-calls",
    { params: { path: { id: String(id) } } },
    { staleTime: 0, gcTime: 0 },
  );
  if (open.error !== null) return <Problem error={open.error} />;
  const calls = open.data?.data.open_calls;
  if (calls === undefined) return <p className="text-muted">{t.counting}</p>;
  return (
    <p className="text-warn font-medium">{calls === 0 ? t.noneRuns : t.running(count(calls))}</p>
  );
}
