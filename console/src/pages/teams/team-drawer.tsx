import { useQueryClient } from "@tanstack/react-query";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EditAndRemove } from "../../ui/edit-and-remove.tsx";
import { money } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import { Members } from "./members.tsx";
import { TeamBudgets } from "./team-budgets.tsx";
import { TeamForm } from "./team-form.tsx";
import { TEAM_TEXTS } from "./texts.ts";

type Team = Schemas["Team"];

interface TeamDrawerProps {
  readonly team: Team;
  readonly onClose: () => void;
}

/** One team: its budgets, its members, and changes of both. */
export function TeamDrawer({ team, onClose }: TeamDrawerProps) {
  const t = useTexts(TEAM_TEXTS);
  const mayChange = isAtLeast(useUser().role, "admin");
  const facts = [
    [t.today, money(team.used_day_usd)],
    [t.month, money(team.used_month_usd)],
    [t.total, money(team.used_usd)],
    [t.quota, team.quota_usd === null ? t.unlimited : money(team.quota_usd)],
  ] as const;
  return (
    <Dialog shape="drawer" title={team.name} onClose={onClose}>
      <div className="flex flex-col gap-5">
        {mayChange && <Actions team={team} onClose={onClose} />}
        <dl className="grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
          {facts.map(([label, value]) => (
            <div key={label} className="flex gap-2">
              <dt className="text-muted w-36 shrink-0">{label}</dt>
              <dd className="figures">{value}</dd>
            </div>
          ))}
        </dl>
        <TeamBudgets team={team} mayChange={mayChange} />
        <Members id={team.id} mayChange={mayChange} />
      </div>
    </Dialog>
  );
}

function Actions({ team, onClose }: TeamDrawerProps) {
  const t = useTexts(TEAM_TEXTS);
  const client = useQueryClient();
  const path = { id: String(team.id) };
  const refresh = (): void => void client.invalidateQueries({ queryKey: ["get", "/api/team"] });
  const update = hooks.useMutation("put", "/api/team/{id}", {
    onSuccess() {
      toast(t.saved);
      refresh();
    },
    onError: () => undefined,
  });
  const remove = hooks.useMutation("delete", "/api/team/{id}", {
    onSuccess() {
      toast(t.removed(team.name));
      refresh();
      onClose();
    },
    onError: () => undefined,
  });
  return (
    <EditAndRemove
      texts={{ ...t, removeTitle: t.removeTitle(team.name) }}
      form={(close) => (
        <TeamForm
          team={team}
          error={update.error}
          busy={update.isPending}
          onSave={(body) => update.mutate({ params: { path }, body }, { onSuccess: close })}
          onClose={close}
        />
      )}
      removing={remove}
      onRemove={() => remove.mutate({ params: { path } })}
    />
  );
}
