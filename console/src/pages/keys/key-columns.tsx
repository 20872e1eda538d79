import { Ellipsis } from "lucide-react";
import { useId } from "react";
import { Link } from "wouter";
import { useTexts, type Translated } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { clockTime, money } from "../../ui/format.ts";
import { Popover, PopoverButton } from "../../ui/popover.tsx";
import type { Column } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import type { Token } from "./key-form.tsx";
import { KEY_TEXTS } from "./texts.ts";

export const ENABLED = 1;

type Texts = Translated<typeof KEY_TEXTS.en>;

/** What the menu of a row does. */
interface KeyActs {
  readonly edit: (token: Token) => void;
  readonly toggle: (token: Token) => void;
  readonly rotate: (token: Token) => void;
  readonly endOld: (token: Token) => void;
  readonly remove: (token: Token) => void;
  /** Only a key of one's own. */
  readonly mayRotate: boolean;
}

export function keyColumns(t: Texts, acts: KeyActs): readonly Column<Token>[] {
  return [
    {
      name: "name",
      label: t.name,
      cell: (token) => <span className="font-medium">{token.name}</span>,
    },
    {
      name: "secret",
      label: t.secret,
      width: "5.5rem",
      from: "sm",
      cell: (token) => (
        <code
          className="text-xs"
          title={
            token.old_expires_at === null
              ? undefined
              : t.old(token.old_last4 ?? "", clockTime(token.old_expires_at))
          }
        >
          …{token.last4}
        </code>
      ),
    },
    { name: "state", label: t.state, width: "6rem", cell: (token) => <State token={token} /> },
    {
      name: "spent",
      label: t.spent,
      align: "end",
      width: "5.5rem",
      cell: ({ used_usd }) => money(used_usd),
    },
    {
      name: "today",
      label: t.today,
      align: "end",
      width: "5.5rem",
      cell: ({ used_day_usd }) => money(used_day_usd),
    },
    {
      name: "month",
      label: t.month,
      align: "end",
      width: "5.5rem",
      cell: ({ used_month_usd }) => money(used_month_usd),
    },
    {
      name: "quota",
      label: t.quotaColumn,
      align: "end",
      width: "6rem",
      cell: ({ quota_usd }) => (quota_usd === null ? t.unlimited : money(quota_usd)),
    },
    {
      name: "budgets",
      label: t.budgets,
      width: "9rem",
      from: "xl",
      cell: (token) => budgetsOf(token, t),
    },
    {
      name: "models",
      label: t.models,
      width: "8rem",
      from: "xl",
      cell: ({ models }) => (models.join() === "*" ? t.allModels : models.join(", ")),
    },
    {
      name: "expires",
      label: t.expires,
      width: "6.5rem",
      from: "sm",
      cell: ({ expires_at }) => (expires_at === null ? t.never : <Ago at={expires_at} />),
    },
    {
      name: "actions",
      label: "",
      width: "3rem",
      isSticky: true,
      cell: (token) => <RowMenu token={token} acts={acts} />,
    },
  ];
}

function State({ token }: { readonly token: Token }) {
  const t = useTexts(KEY_TEXTS);
  if (token.expires_at !== null && token.expires_at <= Date.now() / 1_000)
    return <Badge tone="warn">{t.states.expired}</Badge>;
  if (token.status !== ENABLED) return <Badge>{t.states.disabled}</Badge>;
  return <Badge tone="good">{t.states.enabled}</Badge>;
}

function RowMenu({ token, acts }: { readonly token: Token; readonly acts: KeyActs }) {
  const t = useTexts(KEY_TEXTS);
  const id = useId();
  return (
    <>
      <PopoverButton for={id} label={`${t.edit}: ${token.name}`}>
        <Ellipsis size={16} />
      </PopoverButton>
      <Popover id={id} label={token.name}>
        <div className="flex flex-col items-stretch gap-1">
          <Link
            href={`/logs?token=${token.id}`}
            className="hover:bg-hover rounded-md px-2.5 py-1.5 text-sm"
          >
            {t.calls}
          </Link>
          <Button look="quiet" className="justify-start" onClick={() => acts.edit(token)}>
            {t.edit}
          </Button>
          <Button look="quiet" className="justify-start" onClick={() => acts.toggle(token)}>
            {token.status === ENABLED ? t.disable : t.enable}
          </Button>
          {acts.mayRotate && (
            <Button look="quiet" className="justify-start" onClick={() => acts.rotate(token)}>
              {t.rotate}
            </Button>
          )}
          {acts.mayRotate && token.old_expires_at !== null && (
            <Button look="quiet" className="justify-start" onClick={() => acts.endOld(token)}>
              {t.endOld}
            </Button>
          )}
          <Button
            look="quiet"
            className="text-bad justify-start"
            onClick={() => acts.remove(token)}
          >
            {t.remove}
          </Button>
        </div>
      </Popover>
    </>
  );
}

function budgetsOf({ budgets }: Token, t: Texts): string {
  const found = budgets
    .filter(({ limit_usd }) => limit_usd !== null)
    .map(({ used_usd, limit_usd, period }) =>
      t.left(money(used_usd), money(limit_usd), t.periods[period]),
    );
  return found.length === 0 ? t.unlimited : found.join(", ");
}
