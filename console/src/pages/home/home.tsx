import { Link } from "wouter";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useDisplayMoney, useUser } from "../../app/user.tsx";
import { milliseconds, money, percent } from "../../ui/format.ts";
import { Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { besideOf, Figures } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { OwnPart, Snippets } from "./own.tsx";
import { Problems } from "./problems.tsx";
import { HOME_TEXTS } from "./texts.ts";

const REFRESH_MS = 15_000;
/** The first call uses it if a channel serves it. */
const USUAL_MODEL = "gpt-4o-mini";

/** On a phone, these links stand below the main action. */
const ASIDE =
  "text-accent inline-flex min-h-6 items-center px-2 text-sm hover:underline max-sm:order-last max-sm:px-0";

/** Problems first, then traffic and spend, then the user's own keys. */
export function Page() {
  const t = useTexts(HOME_TEXTS);
  const { role } = useUser();
  const home = hooks.useQuery("get", "/api/home", {}, { refetchInterval: REFRESH_MS });
  const data = home.data?.data;
  return (
    <PageFrame
      title={t.title}
      equal={{ path: "/api/home" }}
      command="sluice alerts list"
      actions={
        <>
          {data?.has_status_page === true && (
            <a href="/status" className={ASIDE}>
              {t.statusPage}
            </a>
          )}
          {data?.has_model_page === true && (
            <Link href="/pricing" className={ASIDE}>
              {t.modelPage}
            </Link>
          )}
          <Link
            href="/logs?outcome=failed&period=hour"
            className="border-line bg-surface hover:bg-hover inline-flex h-8 items-center rounded-md border px-2.5 text-sm font-medium"
          >
            {t.failed}
          </Link>
        </>
      }
    >
      {home.error !== null && <Problem error={home.error} onRetry={() => void home.refetch()} />}
      {home.isPending && <div className="skeleton h-32" aria-busy="true" />}
      {data !== undefined && (
        <>
          {data.problems !== null && <Problems problems={data.problems} />}
          {isAtLeast(role, "admin") && <NewGateway home={data} />}
          <Traffic home={data} />
          <OwnPart own={data.own} />
          {!isAtLeast(role, "auditor") && <Snippets />}
        </>
      )}
    </PageFrame>
  );
}

function Traffic({ home: { traffic, spend } }: { readonly home: Schemas["Home"] }) {
  const t = useTexts(HOME_TEXTS);
  const display = useDisplayMoney();
  if (traffic === null || spend === null) return null;
  const noteOf = (usd: number): string => besideOf(display, usd, t.utc);
  const { first_byte_p50_ms: p50, first_byte_p95_ms: p95 } = traffic;
  return (
    <Figures
      label={t.traffic}
      figures={[
        { name: t.perMinute, value: traffic.calls_per_minute.toFixed(1), note: t.recent },
        { name: t.errorRate, value: percent(traffic.error_rate), note: t.recent },
        {
          name: t.firstByte,
          value: `${milliseconds(p50)} / ${milliseconds(p95)}`,
          note: t.recent,
        },
        { name: t.today, value: money(spend.today_usd), note: noteOf(spend.today_usd) },
        { name: t.month, value: money(spend.month_usd), note: noteOf(spend.month_usd) },
      ]}
    />
  );
}

/** The first steps, until a channel answers and a call was made. */
function NewGateway({ home: { problems, spend, own } }: { readonly home: Schemas["Home"] }) {
  const hasChannel = problems?.is_simulated !== true;
  const hasSpend = (spend?.month_usd ?? 0) > 0 || own.keys.some(({ used_usd }) => used_usd > 0);
  // The call log decides only if nothing was spent: otherwise there was a call.
  const latest = hooks.useQuery(
    "get",
    "/api/log",
    { params: { query: { page_size: 1 } } },
    { enabled: !hasSpend, refetchInterval: REFRESH_MS },
  );
  const hasCall = hasSpend || (latest.data?.data.items.length ?? 0) > 0;
  const isNew = !hasChannel || (!hasSpend && latest.data !== undefined && !hasCall);
  // Simulated answers have the usual model, and the list of all simulated ones is long.
  const models = hooks.useQuery("get", "/api/model", {}, { enabled: isNew && hasChannel });
  if (!isNew) return null;
  const names = models.data?.data.items.map(({ name }) => name) ?? [];
  return (
    <FirstSteps
      hasChannel={hasChannel}
      hasKey={own.keys_total > 0}
      hasCall={hasCall}
      model={names.find((name) => name === USUAL_MODEL) ?? names[0] ?? USUAL_MODEL}
    />
  );
}
