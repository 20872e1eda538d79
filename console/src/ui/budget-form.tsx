import { useTexts } from "../app/language.ts";
import type { Budget, Sending } from "./budget-section.tsx";
import { BUDGET_TEXTS } from "./budget-texts.ts";
import { TextField } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { decimal } from "./format.ts";
import { useFields } from "./use-fields.ts";

export const PERIODS = ["hour", "day", "week", "month"] as const;

export interface ChangedBudgets {
  readonly budgets: {
    readonly period: Budget["period"];
    readonly amount_usd: string | null;
    readonly warn_usd: string | null;
  }[];
  /** Absent if the form has no quota. */
  readonly quota?: string | null;
  readonly reason: string;
}

/** An amount and a warning for each period. Only what changed is sent. */
export function BudgetForm({
  budgets,
  quota,
  sending,
  onClose,
}: {
  readonly budgets: readonly Budget[];
  readonly quota?: number | null;
  readonly sending: Sending<ChangedBudgets>;
  readonly onClose: () => void;
}) {
  const t = useTexts(BUDGET_TEXTS);
  const initial = fieldsOf(budgets, quota);
  const [form, field] = useFields<Readonly<Record<string, string>>>(initial);
  const save = (): void => {
    const changed = PERIODS.filter((period) =>
      ["amount", "warn"].some((name) => form[`${period} ${name}`] !== initial[`${period} ${name}`]),
    );
    sending.send(
      {
        budgets: changed.map((period) => ({
          period,
          amount_usd: form[`${period} amount`] || null,
          warn_usd: form[`${period} warn`] || null,
        })),
        ...(quota === undefined || form["quota"] === initial["quota"]
          ? {}
          : { quota: form["quota"] || null }),
        reason: form["reason"] ?? "",
      },
      onClose,
    );
  };
  return (
    <FormDialog
      title={t.title}
      action={t.save}
      busy={sending.busy}
      error={sending.error}
      onSave={save}
      onClose={onClose}
    >
      <p className="text-muted text-xs">{t.formHint}</p>
      {quota !== undefined && (
        <TextField label={t.quotaUsd} hint={t.quotaHint} inputMode="decimal" {...field("quota")} />
      )}
      <div className="grid grid-cols-2 gap-3">
        {PERIODS.flatMap((period) => [
          <TextField
            key={`${period} amount`}
            label={t.amountUsd(t.periods[period])}
            inputMode="decimal"
            {...field(`${period} amount`)}
          />,
          <TextField
            key={`${period} warn`}
            label={t.warnUsd(t.periods[period])}
            inputMode="decimal"
            {...field(`${period} warn`)}
          />,
        ])}
      </div>
      {quota !== undefined && (
        <TextField label={t.reason} required maxLength={500} {...field("reason")} />
      )}
    </FormDialog>
  );
}

function fieldsOf(
  budgets: readonly Budget[],
  quota: number | null | undefined,
): Readonly<Record<string, string>> {
  const periods = PERIODS.flatMap((period) => {
    const budget = budgets.find((each) => each.period === period);
    return [
      [`${period} amount`, decimal(budget?.amount_usd)],
      [`${period} warn`, decimal(budget?.warn_usd)],
    ] as const;
  });
  return { ...Object.fromEntries(periods), quota: decimal(quota), reason: "" };
}
