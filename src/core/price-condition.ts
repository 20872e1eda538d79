/** Properties of the served call that its price may depend on. */
export interface ServedAs {
  /** In the vendor's term; `standard` for the default tier. */
  readonly serviceTier?: string;
  readonly speed?: string;
  readonly region?: string;
}

/**
 * The condition of a price variant: all listed properties must match, and of a
 * list any one value.
 */
export interface PriceCondition {
  readonly serviceTiers?: readonly string[];
  readonly speeds?: readonly string[];
  readonly regions?: readonly string[];
  readonly aboveInputTokens?: number;
  /** First and last day (UTC) for the start of a call: `2026-11-30`. */
  readonly from?: string;
  readonly until?: string;
  /** Hours (UTC) for the start of a call: `mon-fri 01:00-04:00`, `10:00-24:00`. */
  readonly hours?: readonly string[];
}

/** True if a call was served under this condition. `isAt` checks the days and hours. */
export function isServedSo(
  { serviceTiers, speeds, regions, aboveInputTokens }: PriceCondition,
  { serviceTier = STANDARD, speed = STANDARD, region = "" }: ServedAs,
  inputTokens: number,
): boolean {
  return (
    (aboveInputTokens === undefined || inputTokens > aboveInputTokens) &&
    (serviceTiers === undefined || serviceTiers.includes(serviceTier)) &&
    (speeds === undefined || speeds.includes(speed)) &&
    (regions === undefined || regions.includes(region))
  );
}

export function dependsOnTime({ from, until, hours }: PriceCondition): boolean {
  return from !== undefined || until !== undefined || hours !== undefined;
}

/** True if a call that began at this moment (Unix ms) meets the days and hours. */
export function isAt({ from, until, hours }: PriceCondition, at: number): boolean {
  const day = new Date(at).toISOString().slice(0, 10);
  if (from !== undefined && day < from) return false;
  if (until !== undefined && day > until) return false;
  return hours === undefined || hours.some((each) => isWithin(each, at));
}

/** The condition without its days and hours. */
export function atAnyTime({
  from: _from,
  until: _until,
  hours: _hours,
  ...rest
}: PriceCondition): PriceCondition {
  return rest;
}

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const HOURS = /^(?:([a-z]{3})(?:-([a-z]{3}))? )?(\d\d):(\d\d)-(\d\d):(\d\d)$/;
const MINUTES_A_DAY = 24 * 60;

interface Hours {
  /** Index in `DAYS`; the whole week if undefined. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** The condition in the notation of `sluice.yaml`. */
export function showCondition(when: PriceCondition): Readonly<Record<string, ConditionValue>> {
  const { serviceTiers, speeds, regions, aboveInputTokens, from, until, hours } = when;
  const said = Object.entries({
    service_tier: serviceTiers,
    speed: speeds,
    region: regions,
    above_input_tokens: aboveInputTokens,
    from,
    until,
    hours,
  });
  return Object.fromEntries(
    said.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

type ConditionValue = string | number | readonly string[];

export function isHours(text: string): boolean {
  return readHours(text) !== undefined;
}

function readHours(text: string): Hours | undefined {
  const [, first, last = first, ...times] = HOURS.exec(text) ?? [];
  if (times.length === 0) return undefined;
  const [fromHour = NaN, fromMin = NaN, toHour = NaN, toMin = NaN] = times.map(Number);
  const fromMinute = fromHour * 60 + fromMin;
  const toMinute = toHour * 60 + toMin;
  const areTimes = fromMin < 60 && toMin < 60 && fromMinute < toMinute && toMinute <= MINUTES_A_DAY;
  const areDays = [first, last].every((day) => day === undefined || DAYS.includes(day));
  if (!areTimes || !areDays) return undefined;
  const indexOf = (day: string | undefined): number | undefined =>
    day === undefined ? undefined : DAYS.indexOf(day);
  return { first: indexOf(first), last: indexOf(last), fromMinute, toMinute };
}

function isWithin(text: string, at: number): boolean {
  const hours = readHours(text);
  if (hours === undefined) return false;
  const { first, last, fromMinute, toMinute } = hours;
  const now = new Date(at);
  const minute = now.getUTCHours() * 60 + now.getUTCMinutes();
  if (minute < fromMinute || minute >= toMinute) return false;
  if (first === undefined || last === undefined) return true;
  const day = now.getUTCDay();
  // A range may cross the end of the week: `sat-sun`, `fri-mon`.
  return first <= last ? day >= first && day <= last : day >= first || day <= last;
}

const STANDARD = "standard";
const MAX_WORD_CHARS = 40;

/** Vendors' names for their default tier. */
const USUAL_TIERS: ReadonlySet<string> = new Set([
  STANDARD,
  "default",
  "standard_only",
  "on_demand",
  "unspecified",
]);

/**
 * Normalises a tier to the names that prices use: `SERVICE_TIER_FLEX` is
 * `flex`, `default` is `standard`.
 */
export function serviceTierOf(said: unknown): string | undefined {
  const given = wordOf(said);
  const word = given?.startsWith(TIER_PREFIX) === true ? given.slice(TIER_PREFIX.length) : given;
  return word !== undefined && USUAL_TIERS.has(word) ? STANDARD : word;
}

const TIER_PREFIX = "service_tier_";

/** The same for a speed or a region. */
export function wordOf(said: unknown): string | undefined {
  if (typeof said !== "string" || said === "" || said.length > MAX_WORD_CHARS) return undefined;
  return said.toLowerCase();
}
