import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { LEVELS, LIMIT_NAMES, type Group, type GroupFields } from "./group.ts";
import { PriceRows, pricesOf, rowsOf } from "./price-rows.tsx";
import { GROUP_TEXTS } from "./texts.ts";

interface GroupFormProps {
  readonly group?: Group;
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSave: (fields: GroupFields) => void;
  readonly onClose: () => void;
}

/** A new group or an existing one. A name is enough. */
export function GroupForm({ group, error, busy, onSave, onClose }: GroupFormProps) {
  const t = useTexts(GROUP_TEXTS);
  const [prices, setPrices] = useState(() => rowsOf(group?.prices ?? {}));
  const [form, field] = useFields(() => ({
    name: group?.name ?? "",
    models: group?.models?.join("\n") ?? "",
    channels: group?.channels?.join("\n") ?? "",
    factor: group?.price_factor ?? "1",
    content: group?.content_log ?? "",
    rpm: textOf(group?.rpm),
    tpm: textOf(group?.tpm),
    concurrency: textOf(group?.concurrency),
    shared_rpm: textOf(group?.shared_rpm),
    shared_tpm: textOf(group?.shared_tpm),
    shared_concurrency: textOf(group?.shared_concurrency),
  }));
  const save = (): void =>
    onSave({
      name: form.name.trim(),
      models: linesOf(form.models),
      channels: linesOf(form.channels),
      price_factor: form.factor.trim() || "1",
      prices: pricesOf(prices),
      content_log: LEVELS.find((level) => level === form.content) ?? null,
      rpm: numberOf(form.rpm),
      tpm: numberOf(form.tpm),
      concurrency: numberOf(form.concurrency),
      shared_rpm: numberOf(form.shared_rpm),
      shared_tpm: numberOf(form.shared_tpm),
      shared_concurrency: numberOf(form.shared_concurrency),
    });
  return (
    <FormDialog
      shape="wide"
      title={group === undefined ? t.create : t.edit}
      action={t.save}
      busy={busy}
      error={error}
      onSave={save}
      onClose={onClose}
      className="flex flex-col gap-4"
    >
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        <TextField label={t.name} required autoFocus maxLength={100} {...field("name")} />
        <TextField label={t.factor} hint={t.factorHint} inputMode="decimal" {...field("factor")} />
        <SelectField
          label={t.contentLog}
          choices={[
            { value: "", label: t.usual },
            ...LEVELS.map((value) => ({ value, label: t.levels[value] })),
          ]}
          {...field("content")}
        />
      </div>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <TextArea label={t.models} hint={t.modelsHint} rows={3} {...field("models")} />
        <TextArea label={t.channels} hint={t.channelsHint} rows={3} {...field("channels")} />
      </div>
      <PriceRows rows={prices} onChange={setPrices} />
      {(["", "shared_"] as const).map((prefix) => (
        <fieldset key={prefix} className="grid min-w-0 grid-cols-1 gap-3 sm:grid-cols-3">
          <legend className="mb-1 text-sm font-medium">
            {prefix === "" ? t.each : t.together}
          </legend>
          {LIMIT_NAMES.map((name) => (
            <TextField
              key={name}
              label={t[name]}
              type="number"
              min={1}
              {...field(`${prefix}${name}`)}
            />
          ))}
        </fieldset>
      ))}
    </FormDialog>
  );
}

function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function numberOf(text: string): number | null {
  return text === "" ? null : Number(text);
}

function linesOf(text: string): string[] | null {
  const lines = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.length === 0 ? null : lines;
}
