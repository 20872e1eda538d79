import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { clockTime, count, milliseconds } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { toast } from "../../ui/toast.tsx";
import { DISABLED, ENABLED, type Channel } from "./channel.ts";
import { CHANNEL_TEXTS } from "./texts.ts";

/** Test, status, copy, balance and removal of one channel. */
export function ChannelActions({
  channel,
  onEdit,
  onRemoved,
}: {
  readonly channel: Channel;
  readonly onEdit: () => void;
  readonly onRemoved: () => void;
}) {
  const t = useTexts(CHANNEL_TEXTS);
  const client = useQueryClient();
  const [params, setParams] = useQueryState();
  const [asks, setAsks] = useState<"disable" | "remove">();
  const refresh = (): void => void client.invalidateQueries({ queryKey: ["get", "/api/channel"] });
  const test = hooks.useMutation("post", "/api/channel/{id}/test", {
    onSuccess: refresh,
    onError: () => undefined,
  });
  const update = hooks.useMutation("put", "/api/channel/{id}", { onSuccess: refresh });
  const enable = hooks.useMutation("post", "/api/channel/{id}/enable", {
    onSuccess() {
      toast(t.enabled(channel.name));
      refresh();
    },
  });
  const balance = hooks.useQuery(
    "get",
    "/api/channel/{id}/balance",
    { params: { path: { id: String(channel.id ?? channel.name) } } },
    { enabled: false, retry: false },
  );
  const copy = hooks.useMutation("post", "/api/channel/{id}/copy", {
    onSuccess({ data }) {
      toast(t.copied(data.name));
      refresh();
    },
  });
  const remove = hooks.useMutation("delete", "/api/channel/{id}", {
    onSuccess() {
      toast(t.removed(channel.name));
      refresh();
      onRemoved();
    },
  });
  const path = { id: String(channel.id ?? channel.name) };
  const { mutate: runTest } = test;
  const isAsked = params.get("test") === "1";
  useEffect(() => {
    if (!isAsked) return;
    setParams({ test: undefined });
    runTest({ params: { path: { id: path.id } }, body: {} });
  }, [isAsked, path.id, runTest, setParams]);
  const isEnabled = channel.status === ENABLED;
  const isStored = channel.source === "stored";
  const setStatus = (status: number, message: string): void =>
    update.mutate({ params: { path }, body: { status } } as never, {
      onSuccess() {
        setAsks(undefined);
        toast(message);
      },
    });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button busy={test.isPending} onClick={() => test.mutate({ params: { path }, body: {} })}>
          {test.isPending ? t.testing : t.test}
        </Button>
        {isStored && <Button onClick={onEdit}>{t.edit}</Button>}
        {isStored && channel.disabled !== null && (
          <Button
            look="main"
            busy={enable.isPending}
            onClick={() => enable.mutate({ params: { path } })}
          >
            {t.enable}
          </Button>
        )}
        {isStored &&
          (isEnabled ? (
            <Button onClick={() => setAsks("disable")}>{t.disable}</Button>
          ) : (
            <Button
              busy={update.isPending}
              onClick={() => setStatus(ENABLED, t.enabled(channel.name))}
            >
              {t.enable}
            </Button>
          ))}
        {isStored && (
          <Button busy={copy.isPending} onClick={() => copy.mutate({ params: { path }, body: {} })}>
            {t.copy}
          </Button>
        )}
        <Button busy={balance.isFetching} onClick={() => void balance.refetch().then(refresh)}>
          {t.readBalance}
        </Button>
        {isStored && (
          <Button look="danger" onClick={() => setAsks("remove")}>
            {t.remove}
          </Button>
        )}
      </div>
      {!isStored && <p className="text-muted text-xs">{t.notStored}</p>}
      {(test.error ?? balance.error ?? update.error ?? enable.error) !== null && (
        <Problem error={test.error ?? balance.error ?? update.error ?? enable.error} />
      )}
      {balance.data !== undefined && balance.error === null && (
        <p className="text-sm" aria-live="polite">
          {t.balance}: {balanceText(balance.data.data, t)}
        </p>
      )}
      {test.data?.data.probes.map((probe) => (
        <p
          key={probe.credential}
          className="flex flex-wrap items-center gap-2 text-sm"
          aria-live="polite"
        >
          <Badge tone={probe.ok ? "good" : "bad"}>{probe.credential}</Badge>
          {probe.ok
            ? t.testGood(milliseconds(probe.latency_ms), count(probe.models))
            : (probe.message ?? probe.fault)}
        </p>
      ))}
      {asks === "disable" && (
        <Confirm
          title={t.disableTitle(channel.name)}
          action={t.disable}
          busy={update.isPending}
          onConfirm={() => setStatus(DISABLED, t.disabled(channel.name))}
          onClose={() => setAsks(undefined)}
        >
          {t.disableHint(count(channel.in_flight))}
        </Confirm>
      )}
      {asks === "remove" && (
        <Confirm
          title={t.removeTitle(channel.name)}
          action={t.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { path } })}
          onClose={() => setAsks(undefined)}
        >
          {t.removeHint(count(channel.in_flight))}
        </Confirm>
      )}
    </div>
  );
}

export function balanceText(
  balance: Channel["balance"],
  t: ReturnType<typeof useTexts<typeof CHANNEL_TEXTS.en>>,
): string {
  if (balance === null) return "–";
  const text = `${count(balance.amount)} ${balance.currency}, ${clockTime(balance.at)}`;
  return balance.low ? `${text} (${t.lowBalance})` : text;
}
