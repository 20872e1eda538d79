import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { INVITATION_TEXTS } from "./texts.ts";

const DAY_S = 86_400;
const INVITED_ROLES = ["user", "auditor", "admin"] as const;
type InvitedRole = (typeof INVITED_ROLES)[number];

interface NewInvitation {
  readonly email?: string;
  readonly note?: string;
  readonly role?: InvitedRole;
  readonly team_id?: number;
  readonly group_id?: number;
  readonly quota_usd?: string;
  readonly budget_day_usd?: string;
  readonly budget_month_usd?: string;
  readonly max_uses: number;
  readonly expires_in_seconds: number;
}

interface InvitationFormProps {
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSave: (body: NewInvitation) => void;
  readonly onClose: () => void;
}

/** Everything has a default: a link for one member, valid for a week. */
export function InvitationForm({ error, busy, onSave, onClose }: InvitationFormProps) {
  const t = useTexts(INVITATION_TEXTS);
  const own = useUser().role;
  const isAdmin = isAtLeast(own, "admin");
  const [form, field] = useFields({
    email: "",
    note: "",
    role: "user" as InvitedRole,
    team: "",
    group: "",
    quota: "",
    day: "",
    month: "",
    uses: "1",
    days: "7",
  });
  const save = (): void =>
    onSave({
      ...(form.email === "" ? {} : { email: form.email }),
      ...(form.note === "" ? {} : { note: form.note }),
      ...(form.quota === "" ? {} : { quota_usd: form.quota }),
      ...(form.day === "" ? {} : { budget_day_usd: form.day }),
      ...(form.month === "" ? {} : { budget_month_usd: form.month }),
      ...(isAdmin ? { role: form.role } : {}),
      ...(form.team === "" ? {} : { team_id: Number(form.team) }),
      ...(form.group === "" ? {} : { group_id: Number(form.group) }),
      max_uses: form.email === "" ? Number(form.uses) : 1,
      expires_in_seconds: Number(form.days) * DAY_S,
    });
  return (
    <FormDialog
      title={t.create}
      action={t.send}
      busy={busy}
      error={error}
      onSave={save}
      onClose={onClose}
      className="grid grid-cols-1 gap-3 sm:grid-cols-2"
    >
      <TextField label={t.email} hint={t.emailHint} type="email" autoFocus {...field("email")} />
      <TextField label={t.note} maxLength={500} {...field("note")} />
      {isAdmin && (
        <>
          <SelectField
            label={t.role}
            choices={INVITED_ROLES.filter((each) => each !== own && isAtLeast(own, each)).map(
              (value) => ({ value, label: t.roles[value] }),
            )}
            {...field("role")}
          />
          <Places field={field} />
        </>
      )}
      <TextField label={t.quota} inputMode="decimal" {...field("quota")} />
      <TextField label={t.budgetDay} inputMode="decimal" {...field("day")} />
      <TextField label={t.budgetMonth} inputMode="decimal" {...field("month")} />
      <TextField label={t.days} type="number" min={1} max={90} required {...field("days")} />
      {form.email === "" && (
        <TextField label={t.maxUses} type="number" min={1} max={1_000} {...field("uses")} />
      )}
    </FormDialog>
  );
}

/** For admins alone, who may list teams and groups. */
function Places({
  field,
}: {
  readonly field: (name: "team" | "group") => {
    readonly value: string;
    readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
  };
}) {
  const t = useTexts(INVITATION_TEXTS);
  const teams = hooks.useQuery("get", "/api/team", {}, { staleTime: 60_000 });
  const groups = hooks.useQuery("get", "/api/group", {}, { staleTime: 60_000 });
  const choices = (items: readonly { readonly id: number; readonly name: string }[] = []) => [
    { value: "", label: t.none },
    ...items.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  return (
    <>
      <SelectField label={t.team} choices={choices(teams.data?.data.items)} {...field("team")} />
      <SelectField label={t.group} choices={choices(groups.data?.data.items)} {...field("group")} />
    </>
  );
}
