import type { Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { TextArea, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { decimal } from "../../ui/format.ts";
import { useFields } from "../../ui/use-fields.ts";
import { namesIn } from "./names-in.ts";
import { TEAM_TEXTS } from "./texts.ts";

type Team = Schemas["Team"];

interface TeamFields {
  readonly name: string;
  /** Of a new team; those of an existing one have a form of their own. */
  readonly budget_month_usd?: string | null;
  readonly budget_day_usd?: string | null;
  readonly quota_usd: string | null;
  readonly members?: { readonly username: string }[];
}

/** A team with its budgets; a new one with its members, in one request. */
export function TeamForm({
  team,
  error,
  busy,
  onSave,
  onClose,
}: {
  readonly team?: Team;
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSave: (fields: TeamFields) => void;
  readonly onClose: () => void;
}) {
  const t = useTexts(TEAM_TEXTS);
  const [form, field] = useFields({
    name: team?.name ?? "",
    month: "",
    day: "",
    quota: decimal(team?.quota_usd),
    members: "",
  });
  const save = (): void => {
    const names = namesIn(form.members);
    onSave({
      name: form.name.trim(),
      ...(team === undefined
        ? { budget_month_usd: form.month || null, budget_day_usd: form.day || null }
        : {}),
      quota_usd: form.quota || null,
      ...(names.length === 0 ? {} : { members: names.map((username) => ({ username })) }),
    });
  };
  return (
    <FormDialog
      title={team === undefined ? t.create : t.edit}
      action={t.save}
      busy={busy}
      error={error}
      onSave={save}
      onClose={onClose}
      className="grid grid-cols-1 gap-3 sm:grid-cols-2"
    >
      <TextField label={t.name} required autoFocus maxLength={64} {...field("name")} />
      {team === undefined && (
        <>
          <TextField label={t.budgetMonthUsd} inputMode="decimal" {...field("month")} />
          <TextField label={t.budgetDayUsd} inputMode="decimal" {...field("day")} />
        </>
      )}
      <TextField label={t.quotaUsd} inputMode="decimal" {...field("quota")} />
      {team === undefined && (
        <div className="sm:col-span-2">
          <TextArea label={t.members} hint={t.membersHint} rows={5} {...field("members")} />
        </div>
      )}
    </FormDialog>
  );
}
