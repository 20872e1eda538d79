import { Download, Trophy } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Button } from "../../ui/button.tsx";
import { count, money, percent } from "../../ui/format.ts";
import { Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { choiceIn, type Choice } from "./filters.ts";
import { Invoices } from "./invoices.tsx";
import { Parts, partsOf } from "./parts.tsx";
import { isTime, MEASURES, nameOf, PATHS, type Report, type Scope } from "./report.ts";
import { USAGE_TEXTS } from "./texts.ts";
import { UsageBar } from "./usage-bar.tsx";
import { changeOf, UsageTable } from "./usage-table.tsx";
import { useReport } from "./use-report.ts";

/** Groups of a report; what is above them is one sum. */
const LIMIT = 500;
const PAIRS = 1_000;

/** Usage in parts, and the statements of months. */
export function Page() {
  const t = useTexts(USAGE_TEXTS);
  const user = useUser();
  const [params, setParams] = useQueryState();
  const [now] = useState(() => Date.now());
  const isOwner = !isAtLeast(user.role, "auditor") && user.team_role === "owner";
  const scope = scopeIn(params, isAtLeast(user.role, "auditor"), isOwner);
  const isInvoices = params.get("tab") === "invoices";
  const choice = choiceIn(params, scope, now);
  const query = { ...choice.query, by: `${choice.first},${choice.second}` };
  const hasUsers = scope !== "self";
  return (
    <PageFrame
      title={t.title}
      equal={{ path: PATHS[scope], query }}
      {...(scope === "all" ? { command: commandOf(query, choice.isCompared) } : {})}
      actions={
        <>
          {hasUsers && (
            <Button
              icon={<Trophy size={14} />}
              title={t.whoMost}
              aria-label={t.whoMost}
              onClick={() =>
                setParams({
                  ...Object.fromEntries([...params.keys()].map((name) => [name, undefined])),
                  period: "month",
                  by: "user",
                })
              }
            >
              <span className="max-sm:hidden">{t.whoMost}</span>
            </Button>
          )}
          <a
            download
            href={csvOf(PATHS[scope], query, choice.isCompared)}
            className="border-line bg-surface hover:bg-hover inline-flex h-8 items-center gap-1.5 rounded-md border px-2.5 text-sm font-medium"
          >
            <Download size={14} /> {t.csv}
          </a>
        </>
      }
    >
      <Tabs
        label={t.title}
        value={isInvoices ? "invoices" : "usage"}
        tabs={[
          { value: "usage", label: t.tabs.usage },
          { value: "invoices", label: t.tabs.invoices },
        ]}
        onChange={(tab) => setParams({ tab: tab === "usage" ? undefined : tab })}
      />
      {isInvoices ? (
        <Invoices scope={scope} params={params} set={setParams} />
      ) : (
        <Usage
          choice={choice}
          scope={scope}
          isOwner={isOwner}
          params={params}
          setParams={setParams}
        />
      )}
    </PageFrame>
  );
}

interface UsageProps {
  readonly choice: Choice;
  readonly scope: Scope;
  readonly isOwner: boolean;
  readonly params: URLSearchParams;
  readonly setParams: (changes: Readonly<Record<string, string | undefined>>) => void;
}

function Usage({ choice, scope, isOwner, params, setParams }: UsageProps) {
  const t = useTexts(USAGE_TEXTS);
  const { first, second } = choice;
  const compare = choice.isCompared ? { compare: "previous" } : {};
  const measure = MEASURES.find((each) => each === params.get("measure")) ?? "cost";
  const parts = useReport(scope, { ...choice.query, by: second, limit: LIMIT, ...compare });
  const bars = useReport(scope, {
    ...choice.query,
    by: first,
    ...(isTime(first) ? {} : { limit: LIMIT }),
  });
  const pairs = useReport(scope, {
    ...choice.query,
    by: `${first},${second}`,
    limit: PAIRS,
    ...(isTime(first) ? {} : compare),
  });
  const error = parts.error ?? bars.error ?? pairs.error;
  const [byPart, byBar, byPair] = [parts.report, bars.report, pairs.report];
  const isEmpty = byPart?.items.length === 0;
  return (
    <>
      <UsageBar
        choice={choice}
        measure={measure}
        scope={scope}
        isOwner={isOwner}
        params={params}
        set={setParams}
      />
      {error !== null && <Problem error={error} onRetry={() => void parts.refetch()} />}
      {byPart !== undefined && !isEmpty && <Summary report={byPart} choice={choice} />}
      {[byPart, byBar, byPair].some((each) => each?.is_complete === false) && (
        <p className="text-warn text-sm">{t.incomplete}</p>
      )}
      {byPart !== undefined && byBar !== undefined && byPair !== undefined && !isEmpty && (
        <Parts choice={choice} measure={measure} bars={byBar} parts={byPart} pairs={byPair} />
      )}
      <UsageTable
        choice={choice}
        report={isTime(first) ? byPart : byPair}
        parts={byPart === undefined ? [] : partsOf(byPart, second, measure)}
        search={params}
      />
      <p className="text-muted text-xs">{t.utc}</p>
    </>
  );
}

/** The answer in a sentence: the dearest part, and the total. */
function Summary({ report, choice }: { readonly report: Report; readonly choice: Choice }) {
  const t = useTexts(USAGE_TEXTS);
  const { total, items } = report;
  const [top] = items;
  const cost = Number(total.cost_usd);
  const say = choice.second === "user" || choice.second === "team" ? t.most : t.partMost;
  return (
    <p className="text-sm">
      {top !== undefined && cost > 0 && (
        <strong className="font-medium">
          {say(
            nameOf(top, choice.second) || t.none,
            money(top.cost_usd),
            money(cost),
            percent(Number(top.cost_usd) / cost),
          )}{" "}
        </strong>
      )}
      {t.total(count(total.calls), count(total.input_tokens), count(total.output_tokens))}
      {choice.isCompared && (
        <>
          {" "}
          {t.before}: {money(total.previous?.cost_usd)} ({changeOf(total)})
        </>
      )}
    </p>
  );
}

function scopeIn(params: URLSearchParams, isAuditor: boolean, isOwner: boolean): Scope {
  if (isAuditor) return "all";
  return isOwner && params.get("scope") !== "self" ? "team" : "self";
}

function csvOf(path: string, query: Readonly<Record<string, string>>, isCompared: boolean): string {
  const compare = isCompared ? { compare: "previous" } : {};
  return `${path}?${new URLSearchParams({ ...query, ...compare, format: "csv" })}`;
}

function commandOf(query: Readonly<Record<string, string>>, isCompared: boolean): string {
  const options = Object.entries(query).map(
    ([name, value]) => `--${name.replace(/_id$/, "")} ${value}`,
  );
  return ["sluice usage show", ...options, ...(isCompared ? ["--compare"] : [])].join(" ");
}
