import { useState } from "react";
import type { Schemas } from "../api/client.ts";
import { useTexts } from "../app/language.ts";
import { Badge } from "./badge.tsx";
import { BudgetForm, type ChangedBudgets } from "./budget-form.tsx";
import { BUDGET_TEXTS } from "./budget-texts.ts";
import { Button } from "./button.tsx";
import { money } from "./format.ts";
import { Section } from "./page.tsx";
import { Problem } from "./problem.tsx";
import { RaiseForm, type NewRaise } from "./raise-form.tsx";
import { Table, type Column } from "./table.tsx";
import { Ago } from "./time.tsx";

export type Budget = Schemas["UserQuota"]["budgets"][number];

export interface Sending<Value> {
  readonly error: unknown;
  readonly busy: boolean;
  /** `done` closes the form; what was typed stays until then. */
  send(value: Value, done: () => void): void;
}

interface Mutation<Variables> {
  readonly error: unknown;
  readonly isPending: boolean;
  mutate(variables: Variables, options: { readonly onSuccess: () => void }): void;
}

/** A mutation as a form sends to it. */
export function sendingTo<Variables, Value>(
  mutation: Mutation<Variables>,
  variablesOf: (value: Value) => Variables,
): Sending<Value> {
  return {
    error: mutation.error,
    busy: mutation.isPending,
    send: (value, done) => mutation.mutate(variablesOf(value), { onSuccess: done }),
  };
}

interface BudgetSectionProps {
  readonly budgets: readonly Budget[];
  /** The total quota, where the form may change it too. */
  readonly quota?: number | null;
  /** Absent where the user may only look. */
  readonly change?: Sending<ChangedBudgets>;
  readonly raise?: Sending<NewRaise>;
  readonly endRaise?: Sending<string>;
  /** Links to a budget open the form of its change at once. */
  readonly isFormOpen?: boolean;
  readonly onFormClosed?: () => void;
}

/** Budgets of several periods with their use, their change and temporary raises. */
export function BudgetSection({
  budgets,
  quota,
  change,
  raise,
  endRaise,
  isFormOpen = false,
  onFormClosed,
}: BudgetSectionProps) {
  const t = useTexts(BUDGET_TEXTS);
  const [form, setForm] = useState<"change" | "raise" | undefined>(
    isFormOpen ? "change" : undefined,
  );
  const close = (): void => {
    setForm(undefined);
    onFormClosed?.();
  };
  const raises = budgets.flatMap((budget) =>
    budget.raises.map((each) => ({ ...each, period: budget.period })),
  );
  const columns: readonly Column<Budget>[] = [
    { name: "period", label: t.period, cell: ({ period }) => t.periods[period] },
    {
      name: "limit",
      label: t.limit,
      align: "end",
      width: "7rem",
      cell: ({ limit_usd: limit }) => (limit === null ? t.onlyWarns : money(limit)),
    },
    {
      name: "used",
      label: t.used,
      align: "end",
      width: "7rem",
      cell: ({ used_usd: used, is_warning }) =>
        is_warning ? (
          <Badge tone="warn" title={t.warned}>
            {money(used)}
          </Badge>
        ) : (
          money(used)
        ),
    },
    {
      name: "warn",
      label: t.warn,
      align: "end",
      width: "7rem",
      cell: ({ warn_usd: warn }) => money(warn),
    },
    {
      name: "resets",
      label: t.resets,
      width: "9rem",
      cell: ({ resets_at: at }) => <Ago at={at} />,
    },
  ];
  return (
    <Section
      title={t.title}
      actions={
        <>
          {raise !== undefined && <Button onClick={() => setForm("raise")}>{t.raise}</Button>}
          {change !== undefined && <Button onClick={() => setForm("change")}>{t.change}</Button>}
        </>
      }
    >
      <Table
        label={t.title}
        columns={columns}
        rows={budgets}
        rowKey={({ period }) => period}
        empty={<p className="text-muted text-sm">{t.none}</p>}
      />
      {raises.length > 0 && (
        <ul aria-label={t.raises} className="flex flex-col gap-1 text-sm">
          {raises.map(({ id, add_usd, period, by, until, reason }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3">
              <span>{t.raiseText(money(add_usd), t.periods[period], by)}</span>
              <span className="text-muted min-w-0 flex-1 truncate" title={reason}>
                {reason}
              </span>
              <span className="text-muted">
                {t.ends} <Ago at={until} />
              </span>
              {endRaise !== undefined && (
                <Button
                  look="quiet"
                  className="text-bad h-7"
                  busy={endRaise.busy}
                  onClick={() => endRaise.send(id, () => undefined)}
                >
                  {t.end}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {endRaise !== undefined && endRaise.error !== null && <Problem error={endRaise.error} />}
      {form === "change" && change !== undefined && (
        <BudgetForm
          budgets={budgets}
          {...(quota === undefined ? {} : { quota })}
          sending={change}
          onClose={close}
        />
      )}
      {form === "raise" && raise !== undefined && (
        <RaiseForm budgets={budgets} sending={raise} onClose={close} />
      )}
    </Section>
  );
}
