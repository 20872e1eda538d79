import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Input } from "../../ui/field.tsx";
import { count } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { UI_TEXTS } from "../../ui/texts.ts";
import { toast } from "../../ui/toast.tsx";
import { DISABLED, ENABLED, type Channel } from "./channel.ts";
import { CHANNEL_TEXTS } from "./texts.ts";

interface Change {
  readonly status?: number;
  readonly priority?: number;
  readonly weight?: number;
  readonly proxy?: string | null;
}

/** Channels by their ids, or all with a tag. */
export type Target = { readonly ids: readonly number[] } | { readonly tag: string };

/** Changes several channels at once. The gateway's plan is shown before anything changes. */
export function BulkBar({
  target,
  channels,
  onDone,
}: {
  readonly target: Target;
  readonly channels: readonly Channel[];
  readonly onDone: () => void;
}) {
  const t = useTexts(CHANNEL_TEXTS);
  const [priority, setPriority] = useState("");
  const [weight, setWeight] = useState("");
  const [proxy, setProxy] = useState("");
  const [change, setChange] = useState<Change>();
  return (
    <div className="border-accent bg-accent-soft flex flex-wrap items-center gap-2 rounded-md border px-3 py-1.5 text-sm">
      <span className="mr-auto font-medium">
        {"tag" in target ? t.withTag(target.tag) : t.ticked(count(target.ids.length))}
      </span>
      <Button onClick={() => setChange({ status: ENABLED })}>{t.enable}</Button>
      <Button onClick={() => setChange({ status: DISABLED })}>{t.disable}</Button>
      <ValueField
        label={t.setPriority}
        value={priority}
        onChange={setPriority}
        onSet={() => setChange({ priority: Number(priority) })}
      />
      <ValueField
        label={t.setWeight}
        value={weight}
        onChange={setWeight}
        onSet={() => setChange({ weight: Number(weight) })}
      />
      <ValueField
        label={t.setProxy}
        title={t.setProxyHint}
        type="text"
        value={proxy}
        onChange={setProxy}
        onSet={() => setChange({ proxy: proxy.trim() || null })}
      />
      {change !== undefined && (
        <Plan
          target={target}
          change={change}
          channels={channels}
          onClose={() => setChange(undefined)}
          onDone={() => {
            setChange(undefined);
            onDone();
          }}
        />
      )}
    </div>
  );
}

function ValueField({
  label,
  title,
  type = "number",
  value,
  onChange,
  onSet,
}: {
  readonly label: string;
  readonly title?: string;
  /** A number is required, and no text removes the value. */
  readonly type?: "number" | "text";
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSet: () => void;
}) {
  return (
    <form
      className="flex gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        onSet();
      }}
    >
      <Input
        type={type}
        step="any"
        required={type === "number"}
        autoComplete="off"
        aria-label={label}
        title={title}
        className={type === "number" ? "w-20" : "w-44"}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <Button type="submit">{label}</Button>
    </form>
  );
}

function Plan({
  target,
  change,
  channels,
  onClose,
  onDone,
}: {
  readonly target: Target;
  readonly change: Change;
  readonly channels: readonly Channel[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const t = useTexts(CHANNEL_TEXTS);
  const ui = useTexts(UI_TEXTS);
  const client = useQueryClient();
  const whose = "tag" in target ? { tag: target.tag } : { ids: [...target.ids] };
  const plan = hooks.useQuery(
    "post",
    "/api/channel/bulk",
    { body: { ...whose, change } },
    { staleTime: Infinity, gcTime: 0, retry: false },
  );
  const planned = plan.data?.data;
  const changing = planned?.items.filter(({ changes }) => Object.keys(changes).length > 0) ?? [];
  const apply = hooks.useMutation("post", "/api/channel/bulk", {
    onSuccess() {
      void client.invalidateQueries({ queryKey: ["get", "/api/channel"] });
      toast(t.changed(count(changing.length)));
      onDone();
    },
    onError: () => undefined,
  });
  const isOutdated = apply.error instanceof ApiError && apply.error.status === 409;
  const running = channels
    .filter(({ name }) => changing.some((each) => each.name === name))
    .reduce((sum, { in_flight }) => sum + in_flight, 0);
  return (
    <Dialog
      title={t.plan(count(changing.length))}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button
            look={change.status === DISABLED ? "danger" : "main"}
            busy={apply.isPending || plan.isFetching}
            disabled={changing.length === 0}
            onClick={() =>
              apply.mutate({
                body: { ...whose, change, apply: true, plan: planned?.plan ?? "" },
              })
            }
          >
            {t.apply}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        {plan.error !== null && <Problem error={plan.error} />}
        {apply.error !== null && <Problem error={apply.error} />}
        {isOutdated && (
          <Button
            onClick={() => {
              apply.reset();
              void plan.refetch();
            }}
          >
            {t.planAgain}
          </Button>
        )}
        {change.status === DISABLED && changing.length > 0 && <p>{t.planEnds(count(running))}</p>}
        <ul>
          {planned?.items.map(({ id, name, changes }) => (
            <li key={id} className="flex min-h-8 flex-wrap items-center gap-x-3">
              <span className="font-medium">{name}</span>
              <span className="text-muted figures">{describe(changes, t)}</span>
            </li>
          ))}
        </ul>
        {planned?.skipped.map(({ name, reason }) => (
          <p key={name} className="text-muted text-xs">
            {t.skipped}: {name}. {reason}
          </p>
        ))}
      </div>
    </Dialog>
  );
}

function describe(
  changes: Readonly<Record<string, { readonly before?: unknown; readonly after?: unknown }>>,
  t: Translated<typeof CHANNEL_TEXTS.en>,
): string {
  const labels: Readonly<Record<string, string>> = t.fields;
  const parts = Object.entries(changes).map(([name, { before, after }]) => {
    const show = (value: unknown): string =>
      name === "status"
        ? value === ENABLED
          ? t.isEnabled
          : t.states.disabled
        : JSON.stringify(value);
    return `${labels[name] ?? name}: ${show(before)} → ${show(after)}`;
  });
  return parts.join(", ") || t.unchanged;
}
