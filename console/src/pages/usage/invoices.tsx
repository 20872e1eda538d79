import { locale, useTexts } from "../../app/language.ts";
import { useDisplayMoney, type DisplayMoney } from "../../app/user.tsx";
import { Select } from "../../ui/field.tsx";
import { Filters } from "../../ui/filters.tsx";
import { count, money } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { nameOf, valueOf, type Item, type Scope } from "./report.ts";
import { USAGE_TEXTS } from "./texts.ts";
import { useReport } from "./use-report.ts";

const SHOWN_MONTHS = 13;
const FORMATS = ["html", "csv", "json"] as const;

interface InvoicesProps {
  readonly scope: Scope;
  readonly params: URLSearchParams;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
}

/** Statements: of each user or team in a month; for others, their own by month. */
export function Invoices({ scope, params, set }: InvoicesProps) {
  const t = useTexts(USAGE_TEXTS);
  const display = useDisplayMoney();
  const months = latestMonths(Date.now());
  const month = months.find((each) => each === params.get("of_month")) ?? months[0] ?? "";
  const kind = params.get("of") === "team" ? "team" : "user";
  const isAll = scope === "all";
  const query = isAll
    ? { ...spanOf(month), by: kind, limit: 1_000 }
    : { from: `${months.at(-1)}-01`, by: "month" };
  const { report, error, refetch } = useReport(scope, query);
  const found = report?.items.filter((item) => !isAll || valueOf(item, kind) !== "");
  const rows = isAll ? found : found?.toReversed();
  const monthOf = (item: Item): string => (isAll ? month : (item.month ?? ""));
  const pathOf = (item: Item): string =>
    isAll ? `/api/invoice/${kind}/${valueOf(item, kind)}` : `/api/invoice/${scope}`;
  return (
    <>
      {isAll && (
        <Filters>
          <Select
            aria-label={t.invoiceOf}
            className="w-32"
            value={kind}
            onChange={({ target }) => set({ of: target.value })}
            choices={[
              { value: "user", label: t.users },
              { value: "team", label: t.teams },
            ]}
          />
          <Select
            aria-label={t.dimensions.month}
            className="w-40"
            value={month}
            onChange={({ target }) => set({ of_month: target.value })}
            choices={months.map((value) => ({ value, label: monthName(value) }))}
          />
        </Filters>
      )}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <Table
        label={t.invoiceLabel}
        columns={[
          {
            name: "owner",
            label: isAll ? t.dimensions[kind] : t.dimensions.month,
            cell: (item) =>
              isAll ? (
                <>
                  {nameOf(item, kind)}{" "}
                  <span className="text-muted text-xs">{valueOf(item, kind)}</span>
                </>
              ) : (
                monthName(monthOf(item))
              ),
          },
          ...figures(t, display),
          {
            name: "links",
            label: t.invoice,
            width: "11rem",
            align: "end",
            cell: (item) => <Links path={pathOf(item)} month={monthOf(item)} />,
          },
        ]}
        rows={rows}
        rowKey={(item) => (isAll ? valueOf(item, kind) : monthOf(item))}
        fills
        empty={<Empty title={t.noInvoices} />}
      />
    </>
  );
}

function figures(
  t: { readonly measures: { readonly cost: string; readonly calls: string } },
  display: DisplayMoney | undefined,
): readonly Column<Item>[] {
  return [
    {
      name: "calls",
      label: t.measures.calls,
      width: "7rem",
      align: "end",
      from: "sm",
      cell: ({ calls }) => count(calls),
    },
    {
      name: "cost",
      label: t.measures.cost,
      width: "7rem",
      align: "end",
      cell: ({ cost_usd }) => money(cost_usd),
    },
    ...(display === undefined
      ? []
      : [
          {
            name: "display",
            label: display.currency,
            width: "7rem",
            align: "end",
            cell: ({ cost_usd }) => display.write(cost_usd),
          } satisfies Column<Item>,
        ]),
  ];
}

function Links({ path, month }: { readonly path: string; readonly month: string }) {
  return (
    <span className="inline-flex gap-3">
      {FORMATS.map((format) => (
        <a
          key={format}
          href={`${path}?${new URLSearchParams({ month, format })}`}
          target="_blank"
          rel="noreferrer"
          className="text-accent uppercase hover:underline"
        >
          {format}
        </a>
      ))}
    </span>
  );
}

/** As 2026-11, the current one first. */
function latestMonths(now: number): readonly string[] {
  const date = new Date(now);
  return Array.from({ length: SHOWN_MONTHS }, (_, back) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

function spanOf(month: string): { readonly from: string; readonly to: string } {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const next = new Date(Date.UTC(year, number)).toISOString().slice(0, 10);
  return { from: `${month}-01`, to: next };
}

function monthName(month: string): string {
  return new Intl.DateTimeFormat(locale(), {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  }).format(Date.parse(`${month}-01`));
}
