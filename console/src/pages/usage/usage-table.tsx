import { Link } from "wouter";
import { budgetHref } from "../../app/budget-href.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useDisplayMoney, useUser, type DisplayMoney } from "../../app/user.tsx";
import { count, money, percent } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { logsOf, type Choice } from "./filters.ts";
import { Swatch, type Part } from "./parts.tsx";
import {
  isNamed,
  isTime,
  nameOf,
  valueOf,
  type Category,
  type Item,
  type Report,
} from "./report.ts";
import { USAGE_TEXTS } from "./texts.ts";

interface UsageTableProps {
  readonly choice: Choice;
  /** By the second dimension, or by both if none is a time. */
  readonly report: Report | undefined;
  readonly parts: readonly Part[];
  readonly search: URLSearchParams;
}

/** The figures of the bars. A row opens the same page for itself alone. */
export function UsageTable({ choice, report, parts, search }: UsageTableProps) {
  const t = useTexts(USAGE_TEXTS);
  const { role } = useUser();
  const display = useDisplayMoney();
  const { first, second } = choice;
  const dimensions: readonly Category[] = isTime(first) ? [second] : [first, second];
  const rows = report?.items;
  const narrowed = (item: Item): string => {
    const next = new URLSearchParams(search);
    for (const each of dimensions) {
      const value = valueOf(item, each);
      if (value !== "") next.set(each, value);
    }
    next.delete("per");
    next.set("by", second === "model" ? "key" : "model");
    return `/usage?${next}`;
  };
  return (
    <Table
      label={t.table}
      columns={[
        ...dimensions.map((each, at) =>
          dimensionColumn(each, t, at === dimensions.length - 1 ? parts : []),
        ),
        ...figureColumns(t, Number(report?.total.cost_usd ?? 0), choice.isCompared, display),
        linksColumn(second, t, isAtLeast(role, "admin")),
      ]}
      rows={rows}
      rowKey={(item) => dimensions.map((each) => valueOf(item, each)).join(" ")}
      href={narrowed}
      fills
      empty={
        <Empty title={t.empty}>
          <p>{t.emptyHint}</p>
        </Empty>
      }
      foot={report?.others === undefined ? undefined : t.limited(count(report.items.length))}
    />
  );
}

type Texts = ReturnType<typeof useTexts<typeof USAGE_TEXTS.en>>;

function dimensionColumn(category: Category, t: Texts, parts: readonly Part[]): Column<Item> {
  return {
    name: category,
    label: t.dimensions[category],
    width: "13rem",
    cell: (item) => {
      const value = valueOf(item, category);
      const name = nameOf(item, category);
      const color = parts.find((part) => part.value === value)?.color ?? "part-9";
      return (
        <span className="inline-flex max-w-full items-center gap-1.5" title={name}>
          {parts.length > 0 && <Swatch color={color} />}
          <span className="truncate">{name || t.none}</span>
          {isNamed(category) && value !== "" && value !== name && (
            <span className="text-muted text-xs font-normal">{value}</span>
          )}
        </span>
      );
    },
  };
}

function figureColumns(
  t: Texts,
  total: number,
  isCompared: boolean,
  display: DisplayMoney | undefined,
): readonly Column<Item>[] {
  const share = (item: Item): string =>
    total === 0 ? "–" : percent(Number(item.cost_usd) / total);
  const figure = (
    name: string,
    label: string,
    cell: (item: Item) => string,
    from?: "sm" | "lg",
  ): Column<Item> => ({
    name,
    label,
    cell,
    width: "6.5rem",
    align: "end",
    ...(from === undefined ? {} : { from }),
  });
  return [
    figure("cost", t.measures.cost, ({ cost_usd }) => money(cost_usd)),
    ...(display === undefined
      ? []
      : [figure("display", display.currency, ({ cost_usd }) => display.write(cost_usd))]),
    figure("share", t.share, share),
    ...(isCompared
      ? [
          figure("before", t.before, ({ previous }) => money(previous?.cost_usd)),
          figure("change", t.change, changeOf),
        ]
      : []),
    figure("calls", t.measures.calls, ({ calls }) => count(calls)),
    figure("failed", t.failed, ({ failed_calls }) => count(failed_calls), "lg"),
    figure("input", t.measures.input, ({ input_tokens }) => count(input_tokens), "sm"),
    figure("cached", t.cached, ({ cached_input_tokens }) => count(cached_input_tokens), "lg"),
    figure("output", t.measures.output, ({ output_tokens }) => count(output_tokens), "sm"),
  ];
}

/** +12 %; none if there was no cost before. */
export function changeOf(item: Pick<Item, "cost_usd" | "previous">): string {
  const before = Number(item.previous?.cost_usd ?? 0);
  if (before === 0) return "–";
  const change = Number(item.cost_usd) / before - 1;
  return `${change > 0 ? "+" : ""}${percent(change)}`;
}

/** The calls of a row, and the budget of its team or user. */
function linksColumn(category: Category, t: Texts, isAdmin: boolean): Column<Item> {
  const hasBudget = isAdmin && (category === "team" || category === "user");
  return {
    name: "links",
    label: "",
    width: hasBudget ? "11rem" : "7rem",
    align: "end",
    from: "sm",
    cell: (item) => {
      const value = valueOf(item, category);
      const href = logsOf(category, value);
      return (
        <span className="flex justify-end gap-3">
          {hasBudget && value !== "" && (
            <Link href={budgetHref(category, value)} className="text-accent hover:underline">
              {t.budget}
            </Link>
          )}
          {href !== undefined && (
            <Link href={href} className="text-accent hover:underline">
              {t.openLogs}
            </Link>
          )}
        </span>
      );
    },
  };
}
