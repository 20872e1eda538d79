import { Link } from "wouter";
import type { Schemas } from "../../api/client.ts";
import { snippetsOf } from "../../api/snippets.ts";
import { useTexts } from "../../app/language.ts";
import { useDisplayMoney } from "../../app/user.tsx";
import { Code } from "../../ui/copy.tsx";
import { money, relativeTime } from "../../ui/format.ts";
import { Empty, Section } from "../../ui/page.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { besideOf, Figures } from "./figures.tsx";
import { HOME_TEXTS } from "./texts.ts";

type Own = Schemas["Home"]["own"];

const SHOWN_SNIPPETS: readonly string[] = ["curl", "OpenAI SDK", "Claude Code"];

/** The user's own spend, budgets and keys. */
export function OwnPart({ own }: { readonly own: Own }) {
  const t = useTexts(HOME_TEXTS);
  const display = useDisplayMoney();
  const columns: readonly Column<Schemas["Token"]>[] = [
    { name: "name", label: t.name, cell: ({ name }) => name },
    {
      name: "secret",
      label: t.secret,
      width: "6rem",
      cell: ({ last4 }) => <code className="text-xs">…{last4}</code>,
    },
    {
      name: "spent",
      label: t.spent,
      align: "end",
      width: "7rem",
      cell: ({ used_usd }) => money(used_usd),
    },
    {
      name: "quota",
      label: t.quota,
      align: "end",
      width: "7rem",
      cell: ({ quota_usd }) => (quota_usd === null ? t.unlimited : money(quota_usd)),
    },
  ];
  const noteOf = (usd: number): string => besideOf(display, usd, t.utc);
  return (
    <Section
      title={t.own}
      actions={
        <Link
          href="/keys"
          className="text-accent inline-flex min-h-6 items-center text-sm hover:underline"
        >
          {own.keys_total === 0 ? t.makeKey : t.allKeys(own.keys_total)}
        </Link>
      }
    >
      <Figures
        label={t.own}
        figures={[
          {
            name: t.ownToday,
            value: money(own.spend.today_usd),
            note: noteOf(own.spend.today_usd),
          },
          {
            name: t.ownMonth,
            value: money(own.spend.month_usd),
            note: noteOf(own.spend.month_usd),
          },
          ...own.budgets.map(({ period, amount_usd: limit, spent_usd, resets_at }) => ({
            name: t.budgetOf[period],
            value: money(spent_usd),
            note: limit === null ? t.noBudget : t.ofBudget(money(limit), relativeTime(resets_at)),
          })),
        ]}
      />
      <Table
        label={t.keys}
        columns={columns}
        rows={own.keys}
        rowKey={({ id }) => id}
        href={({ id }) => `/logs?token=${id}`}
        empty={
          <Empty title={t.noKeys}>
            <Link href="/keys" className="text-accent underline">
              {t.makeKey}
            </Link>
          </Empty>
        }
      />
    </Section>
  );
}

/** How clients use the gateway; the key is named, never shown. */
export function Snippets() {
  const t = useTexts(HOME_TEXTS);
  const shown = snippetsOf(location.origin, "$SLUICE_KEY").filter(({ name }) =>
    SHOWN_SNIPPETS.includes(name),
  );
  return (
    <Section title={t.snippets}>
      <p className="text-muted text-xs">{t.snippetsHint}</p>
      {shown.map(({ name, text }) => (
        <div key={name} className="flex min-w-0 flex-col gap-1">
          <h3 className="text-sm font-medium">{name}</h3>
          <Code text={text} label={name} />
        </div>
      ))}
    </Section>
  );
}
