import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { count, money } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import type { Model } from "./models.tsx";
import { MODEL_TEXTS } from "./texts.ts";

interface ModelDrawerProps {
  readonly model: Model;
  readonly mayChange: boolean;
  readonly onClose: () => void;
}

type RateName = keyof typeof MODEL_TEXTS.en.rates;
const RATES = Object.keys(MODEL_TEXTS.en.rates) as readonly RateName[];
/** Rates that a form for a text model shows at once. */
const USUAL: readonly RateName[] = ["input", "output", "cached_input", "cache_write"];

/** Who serves a model at which price, and where the price comes from. */
export function ModelDrawer({ model, mayChange, onClose }: ModelDrawerProps) {
  const t = useTexts(MODEL_TEXTS);
  const [isEditing, setEditing] = useState(false);
  return (
    <Dialog shape="drawer" title={model.name} onClose={onClose}>
      <div className="flex flex-col gap-5">
        <p className="flex flex-wrap gap-4 text-sm">
          <Link
            href={`/logs?model=${encodeURIComponent(model.name)}`}
            className="text-accent hover:underline"
          >
            {t.calls}
          </Link>
          <Link
            href={`/playground?model=${encodeURIComponent(model.name)}`}
            className="text-accent hover:underline"
          >
            {t.try}
          </Link>
        </p>
        <Section title={t.channels}>
          <ul className="flex flex-col gap-3">
            {model.served_by.map((served) => (
              <Served key={`${served.channel} ${served.model}`} served={served} />
            ))}
          </ul>
        </Section>
        {mayChange && (
          <Section
            title={t.setPrice}
            actions={!isEditing && <Button onClick={() => setEditing(true)}>{t.setPrice}</Button>}
          >
            {isEditing && <PriceForm model={model} onDone={() => setEditing(false)} />}
          </Section>
        )}
      </div>
    </Dialog>
  );
}

function Served({ served }: { readonly served: Model["served_by"][number] }) {
  const t = useTexts(MODEL_TEXTS);
  const { channel, provider, model, price, unpriced, overridden_by, context, max_output } = served;
  return (
    <li className="border-line rounded-md border p-3 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Link
          href={`/channels/${encodeURIComponent(channel)}`}
          className="text-accent font-medium hover:underline"
        >
          {channel}
        </Link>
        <span className="text-muted">
          {provider}, {model}
        </span>
        {unpriced && <Badge tone="warn">{t.unpriced}</Badge>}
        <span className="text-muted ml-auto text-xs">
          {t.source}: {overridden_by ?? t.fromCatalog}
        </span>
      </p>
      <dl className="figures mt-2 grid grid-cols-2 gap-x-6 gap-y-0.5 sm:grid-cols-3">
        {RATES.filter((name) => price?.[name] !== undefined).map((name) => (
          <div key={name} className="flex justify-between gap-2">
            <dt className="text-muted">{t.rates[name]}</dt>
            <dd>{money(price?.[name])}</dd>
          </div>
        ))}
        {context !== null && (
          <div className="flex justify-between gap-2">
            <dt className="text-muted">{t.context}</dt>
            <dd>{count(context)}</dd>
          </div>
        )}
        {max_output !== null && (
          <div className="flex justify-between gap-2">
            <dt className="text-muted">{t.maxOutput}</dt>
            <dd>{count(max_output)}</dd>
          </div>
        )}
      </dl>
      {((price?.variants?.length ?? 0) > 0 || price?.grades !== undefined) && (
        <p className="text-muted mt-1 text-xs">{t.variants}</p>
      )}
    </li>
  );
}

function PriceForm({ model, onDone }: { readonly model: Model; readonly onDone: () => void }) {
  const t = useTexts(MODEL_TEXTS);
  const client = useQueryClient();
  const { override, name } = model;
  const known = override?.price ?? model.served_by[0]?.price ?? undefined;
  const [rates, setRates] = useState<Readonly<Partial<Record<RateName, string>>>>(() =>
    Object.fromEntries(
      RATES.flatMap((rate) => (known?.[rate] === undefined ? [] : [[rate, String(known[rate])]])),
    ),
  );
  const [source, setSource] = useState(override?.price?.source ?? known?.source ?? "");
  const [like, setLike] = useState(override?.like ?? "");
  const done = (message: string): void => {
    void client.invalidateQueries({ queryKey: ["get", "/api/model"] });
    toast(message);
    onDone();
  };
  const put = hooks.useMutation("put", "/api/model/{name}", {
    onSuccess: () => done(t.saved(name)),
    onError: () => undefined,
  });
  const restore = hooks.useMutation("delete", "/api/model/{name}", {
    onSuccess: () => done(t.back(name)),
  });
  if (override?.source === "file") return <p className="text-muted text-sm">{t.fixed}</p>;
  const shown = RATES.filter((rate) => USUAL.includes(rate) || rates[rate] !== undefined);
  const price = Object.fromEntries(Object.entries(rates).filter(([, value]) => value !== ""));
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        put.mutate({
          params: { path: { name } },
          // A new override replaces the earlier one as a whole.
          body: {
            ...kept(override),
            ...price,
            ...(source === "" ? {} : { source }),
            ...(like === "" ? {} : { like }),
          },
        } as never);
      }}
    >
      {put.error !== null && <Problem error={put.error} />}
      <p className="text-muted text-xs">{t.perMillion}</p>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {shown.map((rate) => (
          <TextField
            key={rate}
            label={t.rates[rate]}
            inputMode="decimal"
            value={rates[rate] ?? ""}
            onChange={(event) => setRates((before) => ({ ...before, [rate]: event.target.value }))}
          />
        ))}
      </div>
      <TextField
        label={t.priceSource}
        hint={t.priceSourceHint}
        required={Object.keys(price).length > 0}
        value={source}
        onChange={(event) => setSource(event.target.value)}
      />
      <TextField
        label={t.like}
        hint={t.likeHint}
        value={like}
        onChange={(event) => setLike(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" look="main" busy={put.isPending}>
          {t.save}
        </Button>
        {override !== null && (
          <Button
            busy={restore.isPending}
            onClick={() => restore.mutate({ params: { path: { name } } })}
          >
            {t.restore}
          </Button>
        )}
      </div>
    </form>
  );
}

/** What the form does not show stays. */
function kept(override: Model["override"]): object {
  if (override === null) return {};
  const { context, max_output, limits, price } = override;
  const fields = { context, max_output, limits, grades: price?.grades, variants: price?.variants };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
