import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useId, useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CreateButton } from "../../ui/create-button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { clockTime } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Popover, PopoverButton } from "../../ui/popover.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { RuleForm, TERMS, type Rule } from "./rule-form.tsx";
import { SilenceSelect } from "./silence-select.tsx";
import { ALERT_TEXTS } from "./texts.ts";

type Open =
  | { readonly act: "new" }
  | { readonly act: "edit" | "remove" | "disable"; readonly rule: Rule };

/** The conditions that open alerts. */
export function Rules() {
  const t = useTexts(ALERT_TEXTS);
  const client = useQueryClient();
  const canAct = isAtLeast(useUser().role, "admin");
  const [open, setOpen] = useState<Open>();
  const rules = hooks.useQuery("get", "/api/alert/rule");
  const done = (): void => {
    setOpen(undefined);
    toast(t.saved);
    void client.invalidateQueries({ queryKey: ["get", "/api/alert/rule"] });
  };
  const create = hooks.useMutation("post", "/api/alert/rule", { onSuccess: done });
  const update = hooks.useMutation("put", "/api/alert/rule/{id}", { onSuccess: done });
  const remove = hooks.useMutation("delete", "/api/alert/rule/{id}", { onSuccess: done });
  const silence = hooks.useMutation("post", "/api/alert/rule/{id}/silence", { onSuccess: done });
  const at = ({ id }: Rule) => ({ params: { path: { id: String(id) } } });
  const show = (next: Open): void => {
    create.reset();
    update.reset();
    setOpen(next);
  };

  const columns: readonly Column<Rule>[] = [
    { name: "name", label: t.name, width: "14rem", cell: ({ name }) => name },
    { name: "kind", label: t.kind, width: "10rem", from: "sm", cell: ({ kind }) => t.kinds[kind] },
    { name: "state", label: t.state, width: "11rem", cell: (rule) => <State rule={rule} /> },
    { name: "terms", label: t.terms, cell: (rule) => <Terms rule={rule} /> },
    {
      name: "to",
      label: t.sendTo,
      width: "10rem",
      from: "lg",
      cell: ({ destinations }) => destinations?.join(", ") ?? t.allEnabled,
    },
  ];
  const actions: Column<Rule> = {
    name: "actions",
    label: "",
    width: "9.5rem",
    isSticky: true,
    cell: (rule) => (
      <span className="flex justify-end gap-1">
        <SilenceSelect onChoose={(minutes) => silence.mutate({ ...at(rule), body: { minutes } })} />
        <RuleMenu
          rule={rule}
          onEdit={() => show({ act: "edit", rule })}
          onToggle={() =>
            rule.status === 1
              ? show({ act: "disable", rule })
              : update.mutate({ ...at(rule), body: { status: 1 } })
          }
          onRemove={() => show({ act: "remove", rule })}
        />
      </span>
    ),
  };
  const isForm = open?.act === "new" || open?.act === "edit";
  const error = rules.error ?? remove.error ?? silence.error ?? (isForm ? null : update.error);
  return (
    <>
      {canAct && (
        <CreateButton className="self-start" onClick={() => show({ act: "new" })}>
          {t.addRule}
        </CreateButton>
      )}
      {error !== null && <Problem error={error} onRetry={() => void rules.refetch()} />}
      <Table
        label={t.tabs.rules}
        columns={canAct ? [...columns, actions] : columns}
        rows={rules.data?.data.items}
        rowKey={({ id }) => id}
        empty={<Empty title={t.noRules} />}
      />
      {isForm && (
        <RuleForm
          {...(open.act === "edit" ? { rule: open.rule } : {})}
          busy={create.isPending || update.isPending}
          error={open.act === "edit" ? update.error : create.error}
          onClose={() => setOpen(undefined)}
          onSave={({ kind, ...fields }) =>
            open.act === "edit"
              ? update.mutate({ ...at(open.rule), body: fields })
              : create.mutate({ body: { kind, ...fields } })
          }
        />
      )}
      {(open?.act === "remove" || open?.act === "disable") && (
        <Confirm
          title={open.act === "remove" ? t.removeRule : t.disableRule}
          action={open.act === "remove" ? t.remove : t.disable}
          busy={remove.isPending || update.isPending}
          onClose={() => setOpen(undefined)}
          onConfirm={() =>
            open.act === "remove"
              ? remove.mutate(at(open.rule))
              : update.mutate({ ...at(open.rule), body: { status: 2 } })
          }
        >
          {(open.act === "remove" ? t.removeRuleHint : t.disableRuleHint)(open.rule.name)}
        </Confirm>
      )}
    </>
  );
}

function RuleMenu({
  rule,
  onEdit,
  onToggle,
  onRemove,
}: {
  readonly rule: Rule;
  readonly onEdit: () => void;
  readonly onToggle: () => void;
  readonly onRemove: () => void;
}) {
  const t = useTexts(ALERT_TEXTS);
  const id = useId();
  return (
    <>
      <PopoverButton for={id} label={`${t.change}: ${rule.name}`} className="h-7">
        <Ellipsis size={16} />
      </PopoverButton>
      <Popover id={id} label={rule.name}>
        <div className="flex flex-col items-stretch gap-1">
          <Button look="quiet" className="justify-start" onClick={onEdit}>
            {t.change}
          </Button>
          <Button look="quiet" className="justify-start" onClick={onToggle}>
            {rule.status === 1 ? t.disable : t.enable}
          </Button>
          <Button look="quiet" className="text-bad justify-start" onClick={onRemove}>
            {t.remove}
          </Button>
        </div>
      </Popover>
    </>
  );
}

function State({ rule: { status, silenced_until: until } }: { readonly rule: Rule }) {
  const t = useTexts(ALERT_TEXTS);
  if (until !== null && until > Date.now() / 1_000)
    return <Badge tone="warn">{t.silentUntil(clockTime(until))}</Badge>;
  return status === 1 ? <Badge tone="good">{t.enabled}</Badge> : <Badge>{t.disabled}</Badge>;
}

function Terms({ rule }: { readonly rule: Rule }) {
  const t = useTexts(ALERT_TEXTS);
  const text = termsOf(rule, t);
  return <span title={text}>{text}</span>;
}

function termsOf({ kind, effective_terms: terms }: Rule, t: Translated<typeof ALERT_TEXTS.en>) {
  return TERMS[kind]
    .map((name) => `${t.termNames[name]}: ${[terms[name] ?? "–"].flat().join(", ")}`)
    .join(" · ");
}
