import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Schemas } from "../../api/client.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { exactTime, money, percent } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { HOME_TEXTS } from "./texts.ts";

type Wrong = NonNullable<Schemas["Home"]["problems"]>;

interface Line {
  readonly id: string;
  readonly kind: keyof typeof HOME_TEXTS.en.kinds;
  readonly tone: Tone;
  readonly text: ReactNode;
  /** The page that mends it. */
  readonly href: string;
}

/** One line for each problem, worst first; one calm line if there is none. */
export function Problems({ problems }: { readonly problems: Wrong }) {
  const t = useTexts(HOME_TEXTS);
  const lines = linesOf(problems, t);
  if (lines.length === 0) return <p className="text-good text-sm">{t.well}</p>;
  return (
    <Section
      title={t.problems}
      actions={
        <Link
          href="/alerts"
          className="text-accent inline-flex min-h-6 items-center text-sm hover:underline"
        >
          {t.alertsPage(problems.alerts.length)}
        </Link>
      }
    >
      <ul className="border-line bg-surface divide-line divide-y rounded-md border text-sm">
        {lines.map(({ id, kind, tone, text, href }) => (
          <li key={id}>
            <Link
              href={href}
              className="hover:bg-hover flex min-h-8 items-baseline gap-2 px-2 py-1"
            >
              <span className="w-20 shrink-0">
                <Badge tone={tone}>{t.kinds[kind]}</Badge>
              </span>
              <span className="min-w-0 break-words">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const BAD_STATES: readonly string[] = ["refused", "unreachable", "not serving"];

function linesOf(problems: Wrong, t: Translated<typeof HOME_TEXTS.en>): readonly Line[] {
  const { channels, redis_down_since: redisDown } = problems;
  const isBad = ({ state }: Wrong["channels"][number]): boolean => BAD_STATES.includes(state);
  const sorted = [...channels.filter(isBad), ...channels.filter((each) => !isBad(each))];
  return [
    ...sorted.map((channel): Line => ({
      id: `channel ${channel.name}`,
      kind: "channel",
      tone: isBad(channel) ? "bad" : "warn",
      text: (
        <>
          <b className="font-medium">{channel.name}</b> {channel.text}
        </>
      ),
      href: `/channels/${encodeURIComponent(channel.name)}`,
    })),
    ...(redisDown === null
      ? []
      : [line("redis", "redis", "bad", t.redis(exactTime(redisDown)), "/settings?q=redis")]),
    ...alertsBeside(problems).map(({ id, text, kind }) =>
      line(id, "alert", "bad", text, `/alerts?kind=${kind}`),
    ),
    ...problems.failing_jobs.map(({ name, failures, since }) =>
      line(
        `job ${name}`,
        "job",
        "bad",
        <>
          {t.job(name, failures)} <Ago at={since} />
        </>,
        "/alerts?kind=job_failing",
      ),
    ),
    ...(problems.is_simulated
      ? [line("simulated", "simulated", "warn", t.simulated, "/channels")]
      : []),
    ...problems.budgets.map((budget) => budgetLine(budget, t)),
    ...problems.unpriced_models.map((model) =>
      line(`model ${model}`, "unpriced", "warn", t.unpriced(model), "/models?tab=unpriced"),
    ),
  ];
}

function line(id: string, kind: Line["kind"], tone: Tone, text: ReactNode, href: string): Line {
  return { id, kind, tone, text, href };
}

function budgetLine(
  { owner, period, spent_usd: spent, limit_usd: limit }: Wrong["budgets"][number],
  t: Translated<typeof HOME_TEXTS.en>,
): Line {
  const share = limit === 0 ? 1 : spent / limit;
  return line(
    `budget ${owner} ${period}`,
    "budget",
    share >= 1 ? "bad" : "warn",
    t.budget(owner, money(spent), money(limit), percent(share), t.periods[period]),
    owner.startsWith("team") ? "/teams" : owner.startsWith("user") ? "/users" : "/keys",
  );
}

/** Alerts that no other line tells. */
function alertsBeside(problems: Wrong): Wrong["alerts"] {
  const ill = new Set(problems.channels.map(({ name }) => name));
  const told: Partial<Record<Wrong["alerts"][number]["kind"], boolean>> = {
    unpriced_model: problems.unpriced_models.length > 0,
    simulated: problems.is_simulated,
    job_failing: problems.failing_jobs.length > 0,
    redis_down: problems.redis_down_since !== null,
    budget: problems.budgets.some(({ period }) => period !== "quota"),
    quota: problems.budgets.some(({ period }) => period === "quota"),
  };
  return problems.alerts.filter(
    ({ kind, subject }) =>
      told[kind] !== true && !(kind.startsWith("channel_") && ill.has(subject)),
  );
}
