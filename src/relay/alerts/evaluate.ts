import { createHash } from "node:crypto";
import {
  DEFAULT_TERMS,
  type AlertFinding,
  type AlertKind,
  type AlertRule,
  type AlertTerms,
  type FundsReader,
  type UsedFunds,
} from "#core/alert.ts";
import { ALL_CALLS, firstByteAt, MINUTE_MS, type ChannelSum } from "#core/channel-minute.ts";
import { nanoUsd, writeUsd } from "#core/money.ts";
import { serves, EMPTY_SUM, type AlertView } from "./view.ts";

type RuleFinding = Omit<AlertFinding, "ruleId" | "level"> & { readonly level?: number };

/** The result of one kind of rule. */
interface Verdict {
  readonly found: readonly RuleFinding[];
  /** An open alert that was not found again ends after this time. At once if absent. */
  readonly quietMs?: number;
  /** Ends it before. */
  isOver?(subject: string): boolean;
}

/** The result of a rule. */
export interface Evaluation {
  readonly rule: AlertRule;
  readonly findings: readonly AlertFinding[];
  readonly quietMs: number;
  isOver(subject: string): boolean;
}

/** Terms with the defaults of the kind. */
type Terms = Required<AlertTerms>;

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Findings of one rule; more would only hide the worst. */
const MAX_FINDINGS = 200;
const MAX_TEXT_CHARS = 1_000;
/** The time in which failed logins count together. */
export const GUESSES_MS = 15 * MINUTE_MS;

/** Whether each rule's condition holds now. A database that is down is watched by `watch.ts`. */
export async function evaluateRules(
  rules: readonly AlertRule[],
  view: AlertView,
  funds: FundsReader,
): Promise<readonly Evaluation[]> {
  const evaluations: Evaluation[] = [];
  for (const rule of rules) {
    if (!rule.isEnabled || rule.kind === "database_down") continue;
    const terms = { ...NO_TERMS, ...DEFAULT_TERMS[rule.kind], ...rule.terms };
    const { found, quietMs = 0, isOver } = await KINDS[rule.kind](view, terms, funds);
    const findings = found.slice(0, MAX_FINDINGS).map((each): AlertFinding => ({
      level: 0,
      ...each,
      text: each.text.slice(0, MAX_TEXT_CHARS),
      ruleId: rule.id,
    }));
    evaluations.push({ rule, findings, quietMs, isOver: isOver ?? (() => false) });
  }
  return evaluations;
}

const NO_TERMS: Terms = {
  minutes: 0,
  percent: 0,
  calls: 0,
  levels: [],
  days: 0,
  seconds: 0,
  failures: 0,
};

type Evaluate = (view: AlertView, terms: Terms, funds: FundsReader) => Verdict | Promise<Verdict>;

const KINDS: Readonly<Record<Exclude<AlertKind, "database_down">, Evaluate>> = {
  channel_refused: refusedChannels,
  channel_failing: failingChannels,
  channel_slow: slowChannels,
  model_down: modelsDown,
  error_rate: errorRate,
  budget: async (_view, { levels }, funds) =>
    fundsUsed(await funds.budgets(Math.min(...levels) / 100, MAX_FINDINGS), levels),
  quota: async (_view, { levels }, funds) =>
    fundsUsed(await funds.quotas(Math.min(...levels) / 100, MAX_FINDINGS), levels),
  unpriced_model: unpricedModels,
  simulated: ({ facts }) => ({
    found: facts.some(({ isSimulated }) => isSimulated)
      ? [{ subject: "gateway", text: "Answers are simulated, because no channel is configured." }]
      : [],
  }),
  job_failing: failingJobs,
  redis_down: redisDown,
  certificate: endingCertificates,
  secret: ({ facts }) => ({
    found: [...new Map(facts.flatMap(({ secrets }) => Object.entries(secrets)))].map(
      ([subject, text]) => ({ subject, text }),
    ),
  }),
  login_guesses: loginGuesses,
};

async function refusedChannels(view: AlertView, { minutes }: Terms): Promise<Verdict> {
  return await channelVerdict(view, minutes, DAY_MS, (name, sum) => {
    const { state, text } = view.conditionOf(name, sum);
    return state === "refused" ? text : undefined;
  });
}

async function failingChannels(
  view: AlertView,
  { minutes, percent, calls }: Terms,
): Promise<Verdict> {
  return await channelVerdict(view, minutes, HOUR_MS, (name, sum) => {
    const { attempts, failed } = sum;
    if (attempts < calls || failed === 0 || failed * 100 < attempts * percent) return undefined;
    const { state, text } = view.conditionOf(name, sum);
    // The rule for refused credentials tells the others.
    if (state === "refused") return undefined;
    if (state === "failing" || state === "unreachable" || state === "slow") return text;
    return `failing: ${failed} of ${attempts} attempts failed in ${minutes} minutes.`;
  });
}

async function slowChannels(view: AlertView, { minutes, seconds, calls }: Terms): Promise<Verdict> {
  return await channelVerdict(view, minutes, 0, (_name, sum) => {
    const medianMs = firstByteAt(sum, 0.5);
    if (sum.attempts < calls || medianMs === undefined || medianMs < seconds * 1_000) {
      return undefined;
    }
    return `slow: half of the answers begin after ${(medianMs / 1_000).toFixed(1)} s`;
  });
}

/** An ill channel without calls stays ill, because nothing shows that it recovered. */
async function channelVerdict(
  view: AlertView,
  minutes: number,
  quietMs: number,
  problemOf: (channel: string, sum: ChannelSum) => string | undefined,
): Promise<Verdict> {
  const sums = await view.sums(minutes);
  const found = [...view.channels.keys()].flatMap((name) => {
    const problem = problemOf(name, sums.get(name) ?? EMPTY_SUM);
    return problem === undefined ? [] : [{ subject: name, text: `Channel ${name}: ${problem}` }];
  });
  const isOver = (name: string): boolean => !view.channels.has(name) || answered(sums.get(name));
  return { found, quietMs, isOver };
}

function answered({ attempts, failed }: ChannelSum = EMPTY_SUM): boolean {
  return attempts > failed;
}

/** Models with the same channels share an alert: a channel may have hundreds. */
async function modelsDown(view: AlertView, { minutes }: Terms): Promise<Verdict> {
  const sums = await view.sums(minutes);
  const down = new Map(
    [...view.channels.keys()].map((name) => [name, isDown(view, name, sums.get(name))]),
  );
  const bySubject = new Map<string, { readonly channels: readonly string[]; models: string[] }>();
  const known = new Map<string, readonly string[]>();
  for (const [model, names] of view.models()) {
    const channels = names.toSorted();
    const subject = subjectOf(channels);
    known.set(subject, channels);
    if (channels.length === 0 || !channels.every((name) => down.get(name) === true)) continue;
    const group = bySubject.get(subject) ?? { channels, models: [] };
    group.models.push(model);
    bySubject.set(subject, group);
  }
  const found = [...bySubject].map(([subject, { channels, models }]) => ({
    subject,
    text: `No channel answers for ${few(models, "models")}: ${channels
      .slice(0, MAX_NAMED)
      .map((name) => `${name} is ${view.conditionOf(name, sums.get(name) ?? EMPTY_SUM).text}`)
      .join("; ")}`,
  }));
  const isOver = (subject: string): boolean =>
    known.get(subject)?.some((name) => answered(sums.get(name))) ?? true;
  return { found, quietMs: HOUR_MS, isOver };
}

function isDown(view: AlertView, channel: string, sum = EMPTY_SUM): boolean {
  if (!serves(view, channel)) return true;
  if (sum.attempts > 0) return sum.failed === sum.attempts;
  const { refusals, openUntil } = view.troublesOf(channel);
  const credentials = view.channels.get(channel)?.channel.credentials.length ?? 0;
  return openUntil !== undefined || (refusals.length > 0 && refusals.length >= credentials);
}

const MAX_SUBJECT_CHARS = 200;
const MAX_NAMED = 5;

function subjectOf(channels: readonly string[]): string {
  const joined = channels.join(",");
  if (joined.length <= MAX_SUBJECT_CHARS) return joined;
  return createHash("sha256").update(joined).digest("hex");
}

function few(names: readonly string[], noun: string): string {
  const named = names.toSorted().slice(0, MAX_NAMED).join(", ");
  const rest = names.length - MAX_NAMED;
  return rest > 0 ? `${named} and ${rest} other ${noun}` : named;
}

async function errorRate(view: AlertView, { minutes, percent, calls }: Terms): Promise<Verdict> {
  const { attempts, failed, faults } = (await view.sums(minutes)).get(ALL_CALLS) ?? EMPTY_SUM;
  if (attempts < calls || failed === 0 || failed * 100 < attempts * percent) return { found: [] };
  const [most] = [...faults].toSorted(([, one], [, other]) => other - one);
  const share = Math.round((failed / attempts) * 100);
  const text =
    `${share} % of the calls failed: ${failed} of ${attempts} in ${minutes} minutes` +
    (most === undefined ? "." : `, most of them with ${most[0]}.`);
  return { found: [{ subject: "gateway", text }] };
}

const PERIOD_WORDS = {
  hour: "hourly budget",
  day: "daily budget",
  week: "weekly budget",
  month: "monthly budget",
  quota: "quota",
} as const;

function fundsUsed(used: readonly UsedFunds[], levels: readonly number[]): Verdict {
  const found = used.flatMap(({ account, owner, period, spent, limit }) => {
    const percent = limit === 0 ? 100 : Math.floor((spent / limit) * 100);
    const level = Math.max(...levels.filter((each) => each <= percent), 0);
    if (level === 0) return [];
    const amounts = `$${writeUsd(nanoUsd(spent))} of $${writeUsd(nanoUsd(limit))}`;
    const text = `The ${PERIOD_WORDS[period]} of ${owner} is used to ${percent} %: ${amounts}.`;
    return [{ subject: account, level, text }];
  });
  return { found };
}

function unpricedModels(view: AlertView, { minutes }: Terms): Verdict {
  const used = new Map<string, number>();
  for (const { model, at } of view.facts.flatMap(({ unpriced }) => unpriced)) {
    used.set(model, Math.max(at, used.get(model) ?? 0));
  }
  const found = [...used]
    .filter(([model, at]) => at >= view.now - minutes * MINUTE_MS && !view.isPriced(model))
    .map(([model, seenAt]) => ({
      subject: model,
      text: `The model ${model} has no price: its calls cost nothing.`,
      seenAt,
    }));
  return { found, quietMs: minutes * MINUTE_MS, isOver: (model) => view.isPriced(model) };
}

function failingJobs({ facts }: AlertView, { failures: most }: Terms): Verdict {
  const jobs = new Map<string, { readonly failures: number; readonly since: number }>();
  for (const { name, ...job } of facts.flatMap(({ jobs: each }) => each)) {
    if (job.failures >= most && job.failures > (jobs.get(name)?.failures ?? 0)) jobs.set(name, job);
  }
  const found = [...jobs].map(([name, { since }]) => ({
    subject: name,
    text: `The job ${name} has failed since ${show(since)}. The log has the reason.`,
  }));
  return { found };
}

function redisDown({ facts }: AlertView): Verdict {
  const since = facts.flatMap(({ redisDownSince }) => redisDownSince ?? []);
  if (since.length === 0) return { found: [] };
  const text =
    `Valkey or Redis has not answered since ${show(Math.min(...since))}, to ${since.length} of ` +
    `${facts.length} gateways: each counts limits by itself.`;
  return { found: [{ subject: "redis", text }] };
}

function endingCertificates({ facts, now }: AlertView, { days }: Terms): Verdict {
  const ends = new Map(
    facts.flatMap(({ certificates }) => certificates.map(({ host, endsAt }) => [host, endsAt])),
  );
  const found = [...ends]
    .filter(([, endsAt]) => endsAt - now <= days * DAY_MS)
    .map(([host, endsAt]) => ({
      subject: host,
      // An ended certificate is worse than one that ends soon.
      level: endsAt <= now ? 2 : 1,
      text: `The TLS certificate of ${host} ${endsAt <= now ? "ended" : "ends"} at ${show(endsAt)}.`,
    }));
  return { found };
}

function loginGuesses({ facts }: AlertView, { failures: most }: Terms): Verdict {
  const byAddress = Map.groupBy(
    facts.flatMap(({ guesses }) => guesses),
    ({ address }) => address,
  );
  const found = [...byAddress].flatMap(([address, guesses]) => {
    const failures = guesses.reduce((sum, each) => sum + each.failures, 0);
    if (failures < most) return [];
    const text = `${failures} logins from ${address} failed. Somebody may be guessing passwords.`;
    return [{ subject: address, text, seenAt: Math.max(...guesses.map(({ at }) => at)) }];
  });
  return { found, quietMs: GUESSES_MS };
}

function show(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
