import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { ALERT_TEXTS } from "./texts.ts";

type Kind = Schemas["AlertDestination"]["kind"];

const KINDS: readonly Kind[] = [
  "webhook",
  "email",
  "slack",
  "discord",
  "feishu",
  "dingtalk",
  "wecom",
];
/** Kinds with a signing secret that the service gives. */
const SIGNED: readonly Kind[] = ["feishu", "dingtalk"];

interface DestinationFields {
  readonly name: string;
  readonly kind: Kind;
  readonly url?: string;
  readonly to?: string[];
  readonly secret?: string;
}

/** A new destination; its kind decides the fields. */
export function DestinationForm({
  busy,
  error,
  onSave,
  onClose,
}: {
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSave: (fields: DestinationFields) => void;
  readonly onClose: () => void;
}) {
  const t = useTexts(ALERT_TEXTS);
  const [kind, setKind] = useState<Kind>("webhook");
  const [form, field] = useFields({ name: "", url: "", to: "", secret: "" });
  const save = (): void => {
    const named = { name: form.name.trim(), kind };
    if (kind === "email") return onSave({ ...named, to: form.to.split(/[\s,]+/).filter(Boolean) });
    const hasSecret = SIGNED.includes(kind) && form.secret !== "";
    onSave({ ...named, url: form.url.trim(), ...(hasSecret ? { secret: form.secret } : {}) });
  };
  return (
    <FormDialog
      title={t.addDestination}
      action={t.save}
      busy={busy}
      error={error}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={t.name} required autoFocus {...field("name")} />
      <SelectField
        label={t.kind}
        value={kind}
        choices={KINDS.map((value) => ({ value, label: t.destinationKinds[value] }))}
        onChange={(event) => setKind(event.target.value as Kind)}
      />
      {kind === "email" ? (
        <TextArea label={t.to} hint={t.toHint} required rows={3} {...field("to")} />
      ) : (
        <TextField
          label={t.url}
          type="url"
          required
          hint={kind === "webhook" ? t.webhookHint : undefined}
          {...field("url")}
        />
      )}
      {SIGNED.includes(kind) && (
        <TextField
          label={t.signing}
          hint={t.signingHint}
          type="password"
          autoComplete="new-password"
          {...field("secret")}
        />
      )}
    </FormDialog>
  );
}
