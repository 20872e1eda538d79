import { z } from "zod";
import { parseUsd } from "#core/money.ts";
import { isDay } from "#lib/iso-date.ts";
import { readId } from "./read-id.ts";

/** A number from 1 to `most`; `usual` if it is absent. */
export function wholeNumber(usual: number, most: number, description?: string) {
  return z
    .string()
    .optional()
    .transform((given = "", context) => {
      if (given === "") return usual;
      const value = /^\d{1,9}$/.test(given) ? Number(given) : 0;
      if (value < 1 || value > most) {
        context.addIssue(`must be a whole number from 1 to ${most}`);
      }
      return value;
    })
    .meta({
      type: "integer",
      minimum: Math.min(usual, 1),
      maximum: most,
      default: usual,
      ...(description === undefined ? {} : { description }),
    });
}

export function pageSize(usual: number, most: number) {
  return wholeNumber(usual, most, "Items of a page.");
}

/** An id; undefined if it is absent. */
export function idField(description: string) {
  return z
    .string()
    .optional()
    .transform((given = "", context) => {
      const id = readId(given);
      if (given !== "" && id === undefined) context.addIssue("must be an id");
      return id;
    })
    .meta({ type: "integer", minimum: 1, description });
}

/** The last id of the page before; 0 for the first page. `whose`: "a user's". */
export function afterField(whose: string) {
  return z
    .string()
    .optional()
    .transform((given = "0", context) => {
      if (!/^\d{1,15}$/.test(given)) context.addIssue(`must be ${whose} id`);
      return Number(given);
    })
    .meta({ type: "integer", minimum: 0, description: "The last id of the previous page." });
}

/** Undefined if it is absent or empty. */
export function textField(description: string) {
  return z
    .string()
    .optional()
    .transform((given) => given || undefined)
    .meta({ description });
}

const SECONDS = /^\d{1,11}$/;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Unix ms from Unix seconds or an ISO date, which begins in UTC; undefined if it is absent. */
export function instantField(description: string) {
  return z
    .string()
    .optional()
    .transform((given = "", context) => {
      if (given === "") return undefined;
      // A plus that was not escaped is a space by now.
      const text = given.replace(" ", "+");
      const [, day = ""] = DATE.exec(text) ?? [];
      const ms = SECONDS.test(text) ? Number(text) * 1_000 : isDay(day) ? Date.parse(text) : NaN;
      if (Number.isFinite(ms)) return ms;
      context.addIssue("must be Unix seconds, or a date such as 2026-01-31");
      return undefined;
    })
    .meta({ description: `${description} Unix seconds, or an ISO 8601 date.` });
}

/** One of these words; undefined if it is absent. */
export function choiceField<const Words extends readonly string[]>(
  words: Words,
  description: string,
) {
  return z
    .string()
    .optional()
    .transform((given = "", context): Words[number] | undefined => {
      const word = words.find((each) => each === given);
      if (given !== "" && word === undefined) {
        context.addIssue(`must be one of: ${words.join(", ")}`);
      }
      return word;
    })
    .meta({ enum: [...words], description });
}

/** A whole number from `least` to `most`; undefined if it is absent. */
export function boundField(least: number, most: number, description: string) {
  return z
    .string()
    .optional()
    .transform((given = "", context) => {
      if (given === "") return undefined;
      const value = /^\d{1,12}$/.test(given) ? Number(given) : NaN;
      if (value >= least && value <= most) return value;
      context.addIssue(`must be a whole number from ${least} to ${most}`);
      return undefined;
    })
    .meta({ type: "integer", minimum: least, maximum: most, description });
}

/** US dollars; undefined if it is absent. */
export function amountField(description: string) {
  return z
    .string()
    .optional()
    .transform((given = "", context) => {
      if (given === "") return undefined;
      const amount = given.length > 24 ? undefined : parseUsd(given);
      if (amount === undefined) {
        context.addIssue("must be an amount in US dollars of at most nine decimals");
      }
      return amount;
    })
    .meta({ description });
}

/** Undefined if it is absent or empty; at most `most` characters. */
export function shortTextField(most: number, description: string) {
  return z
    .string()
    .optional()
    .transform((given = "", context) => {
      if (given.length > most || given.includes("\0")) {
        context.addIssue(`must have at most ${most} characters`);
      }
      return given === "" ? undefined : given;
    })
    .meta({ description });
}
