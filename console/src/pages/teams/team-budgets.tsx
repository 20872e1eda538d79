import { useQueryClient } from "@tanstack/react-query";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import type { ChangedBudgets } from "../../ui/budget-form.tsx";
import { BudgetSection, sendingTo } from "../../ui/budget-section.tsx";
import { BUDGET_TEXTS } from "../../ui/budget-texts.ts";
import type { NewRaise } from "../../ui/raise-form.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { toast } from "../../ui/toast.tsx";

/** Budgets of a team, with their raises. */
export function TeamBudgets({
  team,
  mayChange,
}: {
  readonly team: Schemas["Team"];
  readonly mayChange: boolean;
}) {
  const t = useTexts(BUDGET_TEXTS);
  const client = useQueryClient();
  const [params, setParams] = useQueryState();
  const path = { id: String(team.id) };
  const after = (text: string) => ({
    onSuccess() {
      toast(text);
      void client.invalidateQueries({ queryKey: ["get", "/api/team"] });
    },
    onError: () => undefined,
  });
  const set = hooks.useMutation("put", "/api/team/{id}", after(t.saved));
  const raise = hooks.useMutation("post", "/api/team/{id}/raise", after(t.raised));
  const end = hooks.useMutation("delete", "/api/team/{id}/raise/{raise}", after(t.ended));
  if (!mayChange) return <BudgetSection budgets={team.budgets} />;
  return (
    <BudgetSection
      budgets={team.budgets}
      change={sendingTo(set, ({ budgets }: ChangedBudgets) => ({
        params: { path },
        body: { budgets },
      }))}
      raise={sendingTo(raise, (body: NewRaise) => ({ params: { path }, body }))}
      isFormOpen={params.has("edit")}
      onFormClosed={() => setParams({ edit: undefined })}
      endRaise={sendingTo(end, (id: string) => ({ params: { path: { ...path, raise: id } } }))}
    />
  );
}
