import { useState } from "react";
import { Link } from "wouter";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { clockTime, count, milliseconds, money, percent } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { balanceText, ChannelActions } from "./channel-actions.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { ChannelHistory } from "./channel-history.tsx";
import { modelNamesOf, type Channel } from "./channel.ts";
import { Health } from "./health.tsx";
import { CHANNEL_TEXTS } from "./texts.ts";

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
          {channel.disabled === null && health.state !== "healthy" && (
            <p className="min-w-0 text-sm">{health.text}</p>
          )}
        </div>
        {channel.disabled !== null && <DisabledByGateway disabled={channel.disabled} />}
        {mayChange && (
          <ChannelActions channel={channel} onEdit={() => setForm(true)} onRemoved={onClose} />
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
          <ChannelHistory id={String(channel.id ?? name)} />
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
