import { locale } from "../app/language.ts";

/** $12.30, $0.0041, $0.0000023: never an exponent. `usd`: US dollars, as a number or a decimal text. */
export function money(usd: number | string | null | undefined): string {
  return usd === null || usd === undefined ? "–" : moneyIn("USD", Number(usd));
}

export function moneyIn(currency: string, value: number): string {
  const size = Math.abs(value);
  const format = numbers({
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  if (size === 0 || size >= 1) return format.format(value);
  // Of a small amount, only the places are written here: a format for each number of them takes long.
  const digits = size >= 0.01 ? 4 : Math.min(12, 2 - Math.floor(Math.log10(size)));
  const [whole = "0", fraction = ""] = (size * UP).toFixed(digits).split(".");
  const places = fraction.replace(/(?<=..)0+$/, "");
  return format
    .formatToParts(value < 0 ? -Number(whole) : Number(whole))
    .map((part) => (part.type === "fraction" ? places : part.value))
    .join("");
}

/** Halves are rounded up, although a double may be a little less than one. */
const UP = 1 + 1e-12;

const EXACT_DIGITS = 14;
const MAX_DECIMALS = 12;

/** For an input field: never with an exponent, which the gateway would refuse. */
export function decimal(value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  const whole = value === 0 ? 0 : Math.ceil(Math.log10(Math.abs(value)));
  const decimals = Math.max(1, Math.min(MAX_DECIMALS, EXACT_DIGITS - whole));
  return value.toFixed(decimals).replace(/\.?0+$/, "");
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : numbers({}).format(value);
}

/** 1.2K, 3.4M */
export function shortCount(value: number): string {
  return numbers({ notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** `share`: from 0 to 1. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined) return "–";
  return numbers({ style: "percent", maximumFractionDigits: 1 }).format(share);
}

export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
    : `${(ms / 60_000).toFixed(1)} min`;
}

/** `seconds`: Unix time. */
export function exactTime(seconds: number): string {
  return dates({ dateStyle: "medium", timeStyle: "medium" }).format(seconds * 1_000);
}

/** 14:03:22, and the day before it if it is another one than today. */
export function clockTime(seconds: number): string {
  const date = new Date(seconds * 1_000);
  const time = dates({ timeStyle: "medium" }).format(date);
  if (date.toDateString() === new Date().toDateString()) return time;
  const day = dates({ month: "short", day: "numeric" }).format(date);
  return `${day} ${time}`;
}

const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** "3 minutes ago", "in 2 hours". */
export function relativeTime(seconds: number, now = Date.now() / 1_000): string {
  const past = seconds - now;
  const [unit, size] = STEPS.find(([, each]) => Math.abs(past) >= each) ??
    STEPS[STEPS.length - 1] ?? ["second", 1];
  return relative().format(Math.trunc(past / size), unit);
}

/** A format is made once: making it takes longer than all the figures of a table. */
const made = new Map<string, unknown>();

function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale()} number ${JSON.stringify(options)}`;
  return madeOnce(key, () => new Intl.NumberFormat(locale(), options));
}

function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} date ${JSON.stringify(options)}`;
  return madeOnce(key, () => new Intl.DateTimeFormat(locale(), options));
}

function relative(): Intl.RelativeTimeFormat {
  return madeOnce(
    `${locale()} relative`,
    () => new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }),
  );
}

function madeOnce<T>(key: string, make: () => T): T {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as T;
}
