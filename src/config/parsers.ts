import { isIP } from "node:net";
import { z } from "zod";
import type { JsonObject } from "#lib/json.ts";
import {
  formatDisplayCurrency,
  parseDisplayCurrency,
  type DisplayCurrency,
} from "#core/display-currency.ts";
import { isMailAddress } from "#core/mail.ts";
import { type NanoUsd, parseUsd, writeUsd } from "#core/money.ts";
import type { Workers } from "#core/workers.ts";
import { isNetwork } from "#lib/networks.ts";
import { didYouMean } from "./suggest.ts";

/** How one value is written as text in any source, and how valid values are described. */
interface Notation<T> {
  /** Completes "is not ..." and the manual's column of values. */
  readonly expects: string;
  /**
   * `valid`: an invalid value may contain a secret, so only valid values are
   * shown. `never`: the value is a secret.
   */
  readonly shows: "always" | "valid" | "never";
  parse(text: string): T | undefined;
  format(value: T): string;
  /** A more specific reason than "is not ...", if there is one. */
  explain?(text: string): string | undefined;
  /** The JSON schema of the value in a JSON document; a string if absent. */
  readonly json?: JsonObject;
}

/** A notation with its Zod schema, which documents use for their fields. */
export interface Parser<T> extends Notation<T> {
  readonly schema: z.ZodType<T>;
}

/**
 * Issues continue the checks around the value, so that all mistakes are
 * reported together. They hold no value, because it may be a secret.
 */
export function parser<T>(notation: Notation<T>): Parser<T> {
  let schema: z.ZodType<T> | undefined;
  return {
    ...notation,
    // Made on first use, because most settings are never read from a document.
    get schema() {
      return (schema ??= schemaFor(notation));
    },
  };
}

function schemaFor<T>({ expects, shows, parse, explain, json }: Notation<T>): z.ZodType<T> {
  return z
    .unknown()
    .transform((given, context): T => {
      const value = typeof given === "string" ? parse(given) : undefined;
      if (value !== undefined) return value;
      const issue =
        typeof given === "string"
          ? { message: explain?.(given) ?? `is not ${expects}.`, params: { shows } }
          : { message: expects, params: { expects } };
      context.issues.push({ code: "custom", input: undefined, continue: true, ...issue });
      return z.NEVER;
    })
    .meta(json ?? { type: "string" });
}

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;
export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function wholeNumber(least: number, most: number): Parser<number> {
  return parser({
    expects: `a whole number from ${least} to ${most}`,
    shows: "always",
    parse: (text) => within(/^\d{1,15}$/.test(text) ? Number(text) : undefined, least, most),
    format: String,
    json: { type: "integer", minimum: least, maximum: most },
  });
}

/** A number of processes, or one for each core. */
export const workers: Parser<Workers> = parser({
  expects: "`auto`, or a whole number from 1 to 128",
  shows: "always",
  parse: (text) => (text === "auto" ? text : wholeNumber(1, 128).parse(text)),
  format: String,
  json: { anyOf: [{ type: "integer", minimum: 1, maximum: 128 }, { const: "auto" }] },
});

const DURATIONS = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

export function duration(leastMs: number, mostMs: number): Parser<number> {
  const range = `from ${formatUnit(leastMs, DURATIONS)} to ${formatUnit(mostMs, DURATIONS)}`;
  return parser({
    expects: `a duration ${range}, such as 30s`,
    shows: "always",
    parse: (text) => within(parseUnit(text, DURATIONS), leastMs, mostMs),
    format: (valueMs) => formatUnit(valueMs, DURATIONS),
  });
}

const SIZES = { B: 1, KiB: KIB, MiB: MIB, GiB: GIB };
const DECIMAL_SIZES = { KB: 1e3, MB: 1e6, GB: 1e9 };

export function size(leastBytes: number, mostBytes: number): Parser<number> {
  const range = `from ${formatUnit(leastBytes, SIZES)} to ${formatUnit(mostBytes, SIZES)}`;
  return parser({
    expects: `a size ${range}, such as 32MiB`,
    shows: "always",
    parse: (text) => within(parseUnit(text, { ...SIZES, ...DECIMAL_SIZES }), leastBytes, mostBytes),
    format: (bytes) => formatUnit(bytes, SIZES),
  });
}

export function choice<const T extends string>(...words: readonly T[]): Parser<T> {
  return parser({
    expects: words.map((word) => `\`${word}\``).join(", "),
    shows: "always",
    parse: (text) => words.find((word) => word === text),
    format: (word) => word,
    explain: (text) => notAmong(text, words),
    json: { type: "string", enum: words },
  });
}

/** The sender of mail: an address, or a name and an address in angle brackets. */
export const mailSender: Parser<string> = parser({
  expects: "an address such as sluice@example.com, or Sluice <sluice@example.com>",
  shows: "always",
  parse: (text) => {
    const [, name = "", address = text] =
      /^([^\p{C}"(),:;<>@[\\\]]{1,100}?) ?<(.*)>$/u.exec(text) ?? [];
    return name.length <= 100 && isMailAddress(address) ? text : undefined;
  },
  format: (text) => text,
});

/** Text that matches a pattern, unchanged. */
export function text(expects: string, pattern: RegExp): Parser<string> {
  return parser({
    expects,
    shows: "always",
    parse: (given) => (pattern.test(given) ? given : undefined),
    format: (given) => given,
  });
}

export const filePath = text("a path", /^[^\p{Cc}\p{Cf}]{1,4096}$/u);

/** `off`, `stdout`, or a path. A word that resembles one of the two is not taken for a path. */
export const logPlace: Parser<string> = parser({
  expects: "`off`, `stdout`, or the path of a file with a folder, such as ./calls.log",
  shows: "always",
  parse: (given) =>
    given === "off" || given === "stdout" || given.includes("/")
      ? filePath.parse(given)
      : undefined,
  format: (given) => given,
});

/** A number from 0 to 1. */
export const ratio: Parser<number> = parser({
  expects: "a number from 0 to 1, such as 0.1",
  shows: "always",
  parse: (given) => within(/^\d(\.\d{1,9})?$/.test(given) ? Number(given) : undefined, 0, 1),
  format: String,
  json: { type: "number", minimum: 0, maximum: 1 },
});

/** `name=value,name=value`; values may be percent-encoded. Undefined if a pair is malformed. */
export function parsePairs(given: string): Readonly<Record<string, string>> | undefined {
  if (given.trim() === "") return {};
  const pairs = given
    .split(",")
    .map((pair) => /^\s*([\w.-]{1,255})\s*=\s*(.{1,4096}?)\s*$/.exec(pair));
  const entries: [string, string][] = [];
  for (const pair of pairs) {
    const [, name = "", value = ""] = pair ?? [];
    if (name === "" || /%(?![0-9A-Fa-f]{2})|\p{C}/u.test(value)) return undefined;
    try {
      entries.push([name, decodeURIComponent(value)]);
    } catch {
      return undefined;
    }
  }
  return Object.fromEntries(entries);
}

export const namedValues: Parser<Readonly<Record<string, string>>> = parser<
  Readonly<Record<string, string>>
>({
  expects: "pairs such as region=eu,team=ai, separated by commas",
  shows: "always",
  parse: parsePairs,
  format: (pairs) =>
    Object.entries(pairs)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join(","),
});

const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/;

export const host: Parser<string> = parser({
  expects: "an IP address or a host name",
  shows: "always",
  // A name of only digits and dots is a mistyped IP address.
  parse: (given) =>
    isIP(given) > 0 || (HOST_NAME.test(given) && /[A-Za-z]/.test(given)) ? given : undefined,
  format: (given) => given,
});

export const port: Parser<number> = parser({
  ...wholeNumber(0, 65_535),
  explain: (given) =>
    given.startsWith("tcp://")
      ? "is a service link that Kubernetes sets by itself for a service of this name; " +
        "set enableServiceLinks: false for the pod, or the variable to a number."
      : undefined,
});

/** The URL of a server, exactly as its own documents write it. */
export const baseUrl: Parser<string> = parser({
  expects: "a URL such as https://id.example.com, without a query",
  shows: "valid",
  parse(given) {
    const url = given.length <= 512 ? URL.parse(given) : null;
    const isPlain = url?.username === "" && url.password === "" && !/[?#\s\\]/.test(given);
    return isPlain && /^https?:\/\//.test(given) ? given : undefined;
  },
  format: (given) => given,
});

/** `https://chat.example.com`, as a browser writes it in `Origin`, or `*`. */
export const pageOrigin: Parser<string> = parser({
  expects: "an origin such as https://chat.example.com, or *",
  shows: "always",
  parse(given) {
    if (given === "*") return given;
    // Extensions of browsers have schemes of their own, which URLs give no origin.
    const isOrigin = given.length <= 512 && /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\\s@*]+$/i.test(given);
    return isOrigin && URL.canParse(given) ? given.toLowerCase() : undefined;
  },
  format: (given) => given,
});

/** Comma-separated values; an empty text is an empty list. */
export function list<T>(of: Parser<T>, most: number, expects: string): Parser<readonly T[]> {
  return parser({
    expects,
    shows: "always",
    parse(given) {
      const items = given.split(",").map((each) => each.trim());
      const parsed = items.filter((each) => each !== "").map((each) => of.parse(each));
      const good = parsed.filter((each) => each !== undefined);
      return good.length === parsed.length && good.length <= most ? good : undefined;
    },
    format: (values) => values.map((each) => of.format(each)).join(","),
  });
}

/** The domain of an email address. */
export const domain: Parser<string> = parser({
  expects: "a domain such as example.com",
  shows: "always",
  parse: (given) =>
    /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(given) ? given.toLowerCase() : undefined,
  format: (given) => given,
});

/** `10.0.0.0/8`, or one address. */
export const network: Parser<string> = parser({
  expects: "an IP network such as 10.0.0.0/8",
  shows: "always",
  parse: (given) => (isNetwork(given) ? given : undefined),
  format: (given) => given,
});

const PREFIX = /^(\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}){1,4}$/;

/** `/seedance=/videoa`: paths under the second prefix are also served under the first. */
export const pathAlias: Parser<{ readonly from: string; readonly to: string }> = parser({
  expects: "two prefixes of paths such as /films=/videoa",
  shows: "always",
  parse(given) {
    const [from = "", to = "", ...rest] = given.split("=").map((each) => each.trim());
    const isPair = rest.length === 0 && from !== to && PREFIX.test(from) && PREFIX.test(to);
    return isPair ? { from, to } : undefined;
  },
  format: ({ from, to }) => `${from}=${to}`,
});

export const displayCurrency: Parser<DisplayCurrency> = parser({
  expects: "a currency and its amount for one US dollar, such as EUR=0.92",
  shows: "always",
  parse: parseDisplayCurrency,
  format: formatDisplayCurrency,
});

export const usd: Parser<NanoUsd> = parser<NanoUsd>({
  expects: "an amount in US dollars, such as 25 or 0.5, of at most 9 decimals and 9007199",
  shows: "always",
  parse: parseUsd,
  format: writeUsd,
  json: { type: ["number", "string"], minimum: 0, maximum: 9_007_199, maxLength: 24 },
});

/** Completes an error with the known word that was probably meant. */
function notAmong(word: string, known: readonly string[]): string {
  return `is not known here; ${didYouMean(word, known)}`;
}

function within(value: number | undefined, least: number, most: number): number | undefined {
  return value !== undefined && value >= least && value <= most ? value : undefined;
}

function parseUnit(given: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d{1,15}) ?([A-Za-z]{0,3})$/.exec(given);
  if (match === null) return undefined;
  const [, amount = "", name = ""] = match;
  if (name === "") return Number(amount);

  const unit = Object.entries(units).find(([known]) => known.toLowerCase() === name.toLowerCase());
  return unit === undefined ? undefined : Number(amount) * unit[1];
}

/** Formats a value in the largest unit that divides it. */
function formatUnit(value: number, units: Readonly<Record<string, number>>): string {
  const [name, unit] = Object.entries(units)
    .toSorted((a, b) => b[1] - a[1])
    .find(([, factor]) => value % factor === 0 && value >= factor) ?? ["", 1];
  return `${value / unit}${name}`;
}
