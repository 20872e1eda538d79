import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import type { ChangedBudgets } from "../../ui/budget-form.tsx";
import { BudgetSection, sendingTo } from "../../ui/budget-section.tsx";
import { BUDGET_TEXTS } from "../../ui/budget-texts.ts";
import type { NewRaise } from "../../ui/raise-form.tsx";
import { toast } from "../../ui/toast.tsx";
import { useRefreshedUsers, type ListedUser } from "./user.ts";

/** Quota and budgets of a user, with their raises. */
export function UserBudgets({
  user,
  mayChange,
}: {
  readonly user: ListedUser;
  readonly mayChange: boolean;
}) {
  const t = useTexts(BUDGET_TEXTS);
  const refresh = useRefreshedUsers();
  const path = { id: String(user.id) };
  const after = (text: string) => ({
    onSuccess() {
      toast(text);
      refresh();
    },
    onError: () => undefined,
  });
  const set = hooks.useMutation("put", "/api/user/{id}/quota", after(t.saved));
  const raise = hooks.useMutation("post", "/api/user/{id}/quota/raise", after(t.raised));
  const end = hooks.useMutation("delete", "/api/user/{id}/quota/raise/{raise}", after(t.ended));
  if (!mayChange) return <BudgetSection budgets={user.budgets} />;
  return (
    <BudgetSection
      budgets={user.budgets}
      quota={user.quota_usd}
      change={sendingTo(set, ({ budgets, quota, reason }: ChangedBudgets) => ({
        params: { path },
        body: { budgets, reason, ...(quota === undefined ? {} : { quota_usd: quota }) },
      }))}
      raise={sendingTo(raise, (body: NewRaise) => ({ params: { path }, body }))}
      endRaise={sendingTo(end, (id: string) => ({ params: { path: { ...path, raise: id } } }))}
    />
  );
}
