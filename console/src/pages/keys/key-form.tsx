import type { Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { TextArea, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { KEY_TEXTS } from "./texts.ts";

export type Token = Schemas["Token"];

/** What the form sends; null removes a limit. */
export interface KeyFields {
  readonly name: string;
  readonly models: string[] | null;
  readonly quota_usd: string | null;
  readonly budget_hour_usd: string | null;
  readonly budget_day_usd: string | null;
  readonly budget_week_usd: string | null;
  readonly budget_month_usd: string | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly concurrency: number | null;
  readonly ip_ranges: string[] | null;
  readonly expires_at: number | null;
}

interface KeyFormProps {
  /** The key to change; undefined makes a new one. */
  readonly token?: Token;
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSave: (fields: KeyFields) => void;
  readonly onClose: () => void;
}

/** One dialog for a new key and for an existing one. A name is enough. */
export function KeyForm({ token, error, busy, onSave, onClose }: KeyFormProps) {
  const t = useTexts(KEY_TEXTS);
  const [form, field] = useFields(() => ({
    name: token?.name ?? t.defaultName,
    models: token === undefined || token.models.join() === "*" ? "" : token.models.join("\n"),
    quota: text(token?.quota_usd),
    hour: text(token?.budget_hour_usd),
    day: text(token?.budget_day_usd),
    week: text(token?.budget_week_usd),
    month: text(token?.budget_month_usd),
    rpm: text(token?.rpm),
    tpm: text(token?.tpm),
    concurrency: text(token?.concurrency),
    networks: token?.ip_ranges?.join("\n") ?? "",
    expiry: token?.expires_at ? new Date(token.expires_at * 1_000).toISOString().slice(0, 10) : "",
  }));
  const save = (): void =>
    onSave({
      name: form.name.trim(),
      models: lines(form.models),
      quota_usd: form.quota || null,
      budget_hour_usd: form.hour || null,
      budget_day_usd: form.day || null,
      budget_week_usd: form.week || null,
      budget_month_usd: form.month || null,
      rpm: number(form.rpm),
      tpm: number(form.tpm),
      concurrency: number(form.concurrency),
      ip_ranges: lines(form.networks),
      expires_at: form.expiry === "" ? null : Math.floor(Date.parse(form.expiry) / 1_000),
    });
  return (
    <FormDialog
      title={token === undefined ? t.createTitle : t.edit}
      action={t.save}
      busy={busy}
      error={error}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={t.name} required autoFocus maxLength={64} {...field("name")} />
      <details open={token !== undefined}>
        <summary className="text-accent text-sm">{t.more}</summary>
        <div className="mt-3 grid grid-cols-1 gap-3 sm:grid-cols-2">
          <div className="sm:col-span-2">
            <TextArea label={t.models} hint={t.modelsHint} rows={2} {...field("models")} />
          </div>
          <TextField label={t.quota} inputMode="decimal" {...field("quota")} />
          <TextField label={t.expiry} type="date" {...field("expiry")} />
          <TextField label={t.budgetHour} inputMode="decimal" {...field("hour")} />
          <TextField label={t.budgetDay} inputMode="decimal" {...field("day")} />
          <TextField label={t.budgetWeek} inputMode="decimal" {...field("week")} />
          <TextField label={t.budgetMonth} inputMode="decimal" {...field("month")} />
          <TextField label={t.rpm} type="number" min={1} {...field("rpm")} />
          <TextField label={t.tpm} type="number" min={1} {...field("tpm")} />
          <TextField label={t.concurrency} type="number" min={1} {...field("concurrency")} />
          <TextArea label={t.networks} hint={t.networksHint} rows={2} {...field("networks")} />
        </div>
      </details>
    </FormDialog>
  );
}

function text(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function number(value: string): number | null {
  return value === "" ? null : Number(value);
}

function lines(value: string): string[] | null {
  const found = value
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
  return found.length === 0 ? null : found;
}
