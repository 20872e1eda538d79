import { useTexts } from "../app/language.ts";
import type { Budget, Sending } from "./budget-section.tsx";
import { BUDGET_TEXTS } from "./budget-texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { SelectField, TextField } from "./field.tsx";
import { Problem } from "./problem.tsx";
import { UI_TEXTS } from "./texts.ts";
import { useFields } from "./use-fields.ts";

export interface NewRaise {
  readonly period: Budget["period"];
  readonly add_usd: string;
  readonly until: number;
  readonly reason: string;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A raise of one budget until a time. */
export function RaiseForm({
  budgets,
  sending,
  onClose,
}: {
  readonly budgets: readonly Budget[];
  readonly sending: Sending<NewRaise>;
  readonly onClose: () => void;
}) {
  const t = useTexts(BUDGET_TEXTS);
  const ui = useTexts(UI_TEXTS);
  const raisable = budgets.filter(({ amount_usd: amount }) => amount !== null);
  const [form, field] = useFields(() => ({
    period: raisable[0]?.period ?? "",
    amount: "",
    until: localTime(Date.now() + DAY_MS),
    reason: "",
  }));
  const period = raisable.find((each) => each.period === form.period)?.period;
  return (
    <Dialog
      title={t.raise}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button
            look="main"
            type="submit"
            form="raise-form"
            busy={sending.busy}
            disabled={period === undefined}
          >
            {t.raise}
          </Button>
        </>
      }
    >
      <form
        id="raise-form"
        className="grid grid-cols-1 gap-3 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (period === undefined) return;
          const until = Math.floor(Date.parse(form.until) / 1_000);
          sending.send({ period, add_usd: form.amount, until, reason: form.reason }, onClose);
        }}
      >
        {sending.error !== null && (
          <div className="sm:col-span-2">
            <Problem error={sending.error} />
          </div>
        )}
        <p className="text-muted text-xs sm:col-span-2">
          {period === undefined ? t.noBudget : t.raiseHint}
        </p>
        <SelectField
          label={t.period}
          choices={raisable.map((each) => ({
            value: each.period,
            label: t.periods[each.period],
          }))}
          {...field("period")}
        />
        <TextField label={t.addUsd} inputMode="decimal" required {...field("amount")} />
        <TextField label={t.until} type="datetime-local" required {...field("until")} />
        <TextField label={t.reason} required maxLength={500} {...field("reason")} />
      </form>
    </Dialog>
  );
}

/** For an input of a local time, to the minute. */
function localTime(ms: number): string {
  const shifted = ms - new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(shifted).toISOString().slice(0, 16);
}
