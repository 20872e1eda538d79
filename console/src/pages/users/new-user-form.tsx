import { useTexts } from "../../app/language.ts";
import type { Role } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { USER_TEXTS } from "./texts.ts";
import { rolesBelow, useNames } from "./user.ts";

interface NewUser {
  readonly username: string;
  readonly role: Role;
  readonly quota_usd: string | null;
  readonly group_id: number | null;
  readonly email?: string;
  readonly display_name?: string;
  readonly password?: string;
}

interface NewUserFormProps {
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSave: (body: NewUser) => void;
  readonly onClose: () => void;
}

/** A user whose password the admin chooses; an invitation lets the person choose it. */
export function NewUserForm({ error, busy, onSave, onClose }: NewUserFormProps) {
  const t = useTexts(USER_TEXTS);
  const own = useUser().role;
  const { groups } = useNames();
  const [form, field] = useFields({
    username: "",
    email: "",
    display: "",
    role: "user" as Role,
    password: "",
    quota: "",
    group: "",
  });
  const save = (): void =>
    onSave({
      username: form.username.trim(),
      role: form.role,
      quota_usd: form.quota || null,
      group_id: form.group === "" ? null : Number(form.group),
      ...(form.email === "" ? {} : { email: form.email }),
      ...(form.display.trim() === "" ? {} : { display_name: form.display.trim() }),
      ...(form.password === "" ? {} : { password: form.password }),
    });
  return (
    <FormDialog
      title={t.create}
      action={t.save}
      busy={busy}
      error={error}
      onSave={save}
      onClose={onClose}
      className="grid grid-cols-1 gap-3 sm:grid-cols-2"
    >
      <TextField label={t.username} required autoFocus maxLength={64} {...field("username")} />
      <TextField label={t.displayName} maxLength={100} {...field("display")} />
      <TextField label={t.email} type="email" {...field("email")} />
      <TextField
        label={t.password}
        hint={t.passwordHint}
        type="password"
        autoComplete="new-password"
        {...field("password")}
      />
      <SelectField
        label={t.role}
        choices={rolesBelow(own).map((value) => ({ value, label: t.roles[value] }))}
        {...field("role")}
      />
      <SelectField
        label={t.group}
        choices={[
          { value: "", label: t.none },
          ...[...groups].map(([id, label]) => ({ value: String(id), label })),
        ]}
        {...field("group")}
      />
      <TextField label={t.quotaUsd} inputMode="decimal" {...field("quota")} />
    </FormDialog>
  );
}
