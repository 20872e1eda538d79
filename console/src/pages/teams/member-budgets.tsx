import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import type { ChangedBudgets } from "../../ui/budget-form.tsx";
import { BudgetSection, sendingTo } from "../../ui/budget-section.tsx";
import { BUDGET_TEXTS } from "../../ui/budget-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { NewRaise } from "../../ui/raise-form.tsx";
import { toast } from "../../ui/toast.tsx";
import { TEAM_TEXTS } from "./texts.ts";

interface MemberBudgetsProps {
  readonly teamId: string;
  readonly member: Schemas["TeamMember"];
  readonly mayChange: boolean;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Budgets of a member in the name of the team, with their raises. */
export function MemberBudgets({
  teamId,
  member,
  mayChange,
  onChanged,
  onClose,
}: MemberBudgetsProps) {
  const t = useTexts(TEAM_TEXTS);
  const words = useTexts(BUDGET_TEXTS);
  const path = { id: teamId, user: String(member.user_id) };
  const after = (text: string) => ({
    onSuccess() {
      toast(text);
      onChanged();
    },
    onError: () => undefined,
  });
  const set = hooks.useMutation("put", "/api/team/{id}/member/{user}", after(words.saved));
  const raise = hooks.useMutation(
    "post",
    "/api/team/{id}/member/{user}/raise",
    after(words.raised),
  );
  const end = hooks.useMutation(
    "delete",
    "/api/team/{id}/member/{user}/raise/{raise}",
    after(words.ended),
  );
  return (
    <Dialog shape="wide" title={t.budgetsOf(member.username)} onClose={onClose}>
      <p className="text-muted mb-3 text-sm">{t.budgetsOfHint}</p>
      {mayChange ? (
        <BudgetSection
          budgets={member.budgets}
          change={sendingTo(set, ({ budgets }: ChangedBudgets) => ({
            params: { path },
            body: { budgets },
          }))}
          raise={sendingTo(raise, (body: NewRaise) => ({ params: { path }, body }))}
          endRaise={sendingTo(end, (id: string) => ({ params: { path: { ...path, raise: id } } }))}
        />
      ) : (
        <BudgetSection budgets={member.budgets} />
      )}
    </Dialog>
  );
}
