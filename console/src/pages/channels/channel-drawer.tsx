import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { clockTime, count, milliseconds, money, percent } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { toast } from "../../ui/toast.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { DISABLED, ENABLED, modelNamesOf, type Channel } from "./channel.ts";
import { Health } from "./health.tsx";
import { CHANNEL_TEXTS } from "./texts.ts";

const Chart = lazy(async () => ({ default: (await import("../../ui/chart.tsx")).Chart }));

interface ChannelDrawerProps {
  readonly channel: Channel;
  readonly mayChange: boolean;
  readonly onClose: () => void;
}

/** One channel: its health in words, what failed when, and what can be done about it. */
export function ChannelDrawer({ channel, mayChange, onClose }: ChannelDrawerProps) {
  const t = useTexts(CHANNEL_TEXTS);
  const { name, health } = channel;
  const [form, setForm] = useState(false);
  const facts = [
    [t.vendor, channel.provider],
    [t.address, channel.base_url ?? "–"],
    [t.source, channel.owner ?? t.sources[channel.source]],
    [t.credentials, channel.credentials.labels.join(", ") || count(channel.credentials.count)],
    [t.priority, count(channel.priority)],
    [t.success, percent(health.last_24_hours.success_rate)],
    [
      t.firstByte,
      `${milliseconds(health.last_24_hours.first_byte_p50_ms)} / ${milliseconds(health.last_24_hours.first_byte_p95_ms)}`,
    ],
    [t.inFlight, count(channel.in_flight)],
    [t.spend, money(health.spend_today_usd)],
    [t.balance, balanceText(channel.balance, t)],
    [t.models, modelNamesOf(channel)?.join(", ") ?? t.allModels],
    [t.tags, channel.tags.join(", ") || "–"],
  ] as const;
  const faults = Object.entries(health.last_24_hours.faults);
  return (
    <Dialog shape="drawer" title={name} onClose={onClose}>
      <div className="flex flex-col gap-5">
        <div className="flex flex-wrap items-center gap-2">
          <Health health={health} />
          {channel.disabled === null && <p className="min-w-0 text-sm">{health.text}</p>}
        </div>
        {channel.disabled !== null && <DisabledByGateway disabled={channel.disabled} />}
        {mayChange && (
          <Actions channel={channel} onEdit={() => setForm(true)} onRemoved={onClose} />
        )}
        <dl className="grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
          {facts.map(([label, value]) => (
            <div key={label} className="flex min-w-0 gap-2">
              <dt className="text-muted w-32 shrink-0">{label}</dt>
              <dd className="figures min-w-0 truncate" title={value}>
                {value}
              </dd>
            </div>
          ))}
        </dl>
        {channel.notes !== null && <p className="text-sm whitespace-pre-wrap">{channel.notes}</p>}
        <Section title={t.faults}>
          <p className="flex flex-wrap gap-2 text-sm">
            {faults.length === 0 && t.noFaults}
            {faults.map(([fault, times]) => (
              <Link
                key={fault}
                href={`/logs?failed_channel=${encodeURIComponent(name)}&fault=${fault}&period=day`}
              >
                <Badge tone="bad">
                  {fault} × {count(times)}
                </Badge>
              </Link>
            ))}
          </p>
          <p className="flex gap-4 text-sm">
            <Link
              href={`/logs?channel=${encodeURIComponent(name)}&outcome=failed&period=hour`}
              className="text-accent hover:underline"
            >
              {t.failedCalls}
            </Link>
            <Link
              href={`/logs?channel=${encodeURIComponent(name)}`}
              className="text-accent hover:underline"
            >
              {t.allCalls}
            </Link>
          </p>
        </Section>
        <Section title={t.history}>
          <History name={name} />
        </Section>
        {form && (
          <ChannelForm
            channel={channel}
            onClose={() => setForm(false)}
            onSaved={() => setForm(false)}
          />
        )}
      </div>
    </Dialog>
  );
}

/** Since when and why, and when the gateway looks again. */
function DisabledByGateway({ disabled }: { readonly disabled: NonNullable<Channel["disabled"]> }) {
  const t = useTexts(CHANNEL_TEXTS);
  const { since, cause, reason, next_test_at, tests } = disabled;
  return (
    <div className="border-warn bg-warn-soft rounded-md border px-3 py-2 text-sm">
      <p className="font-medium">{t.disabledBy(clockTime(since), t.causes[cause])}</p>
      <p className="break-words">{reason}</p>
      <p>{t.nextTest(clockTime(next_test_at), count(tests))}</p>
    </div>
  );
}

function balanceText(
  balance: Channel["balance"],
  t: ReturnType<typeof useTexts<typeof CHANNEL_TEXTS.en>>,
): string {
  if (balance === null) return "–";
  const text = `${count(balance.amount)} ${balance.currency}, ${clockTime(balance.at)}`;
  return balance.low ? `${text} (${t.lowBalance})` : text;
}

function Actions({
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

function History({ name }: { readonly name: string }) {
  const t = useTexts(CHANNEL_TEXTS);
  const history = hooks.useQuery("get", "/api/channel/{id}/history", {
    params: { path: { id: name } },
  });
  const items = history.data?.data.items;
  const charts = useMemo(() => {
    if (items === undefined) return undefined;
    return {
      times: items.map(({ minute }) => minute),
      counts: [
        { label: t.attempts, color: "accent", values: items.map(({ attempts }) => attempts) },
        { label: t.failed, color: "bad", values: items.map(({ failed }) => failed) },
      ],
      latencies: [
        { label: t.p50, color: "accent", values: items.map((each) => each.first_byte_p50_ms) },
        { label: t.p95, color: "warn", values: items.map((each) => each.first_byte_p95_ms) },
      ],
    };
  }, [items, t]);
  if (history.error !== null) return <Problem error={history.error} />;
  if (charts === undefined || charts.times.length === 0)
    return <p className="text-muted text-sm">–</p>;
  return (
    <Suspense>
      <Chart
        label={`${t.attempts}, ${t.failed}`}
        times={charts.times}
        series={charts.counts}
        format={count}
        shape="bars"
        height={160}
      />
      <Chart
        label={t.firstByte}
        times={charts.times}
        series={charts.latencies}
        format={milliseconds}
        height={160}
      />
    </Suspense>
  );
}
