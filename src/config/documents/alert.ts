import {
  ALERT_KINDS,
  DESTINATION_KINDS,
  MAX_MAIL_ADDRESSES,
  termsProblem,
  type AlertRuleDraft,
} from "#core/alert.ts";
import { defined } from "#lib/values.ts";
import type { z } from "zod";
import { choice, parser, text, wholeNumber } from "../parsers.ts";
import { displayName } from "./display-name.ts";
import { ALWAYS, fields, isMap, list } from "./fields.ts";

const MAX_DESTINATIONS = 100;
const MAX_LEVELS = 10;
const MAX_MINUTES = 60;
const YEAR_MINUTES = 525_600;

const kind = choice(...ALERT_KINDS);
const status = choice("enabled", "disabled");
const percent = wholeNumber(1, 1_000);

export const TERM_FIELDS = {
  minutes: wholeNumber(1, YEAR_MINUTES)
    .schema.describe("Time that is looked at; at most 60 for channels, models and calls.")
    .optional(),
  percent: wholeNumber(1, 100)
    .schema.describe("Share of failures from which it begins.")
    .optional(),
  calls: wholeNumber(1, 1_000_000)
    .schema.describe("With fewer calls or attempts, it does not begin.")
    .optional(),
  levels: list(percent.schema, { whenEmpty: "leave it out for the default.", max: MAX_LEVELS })
    .describe("Used shares of a budget or quota in percent, each a level.")
    .optional(),
  days: wholeNumber(1, 365).schema.describe("Days before the end of a certificate.").optional(),
  seconds: wholeNumber(1, 600).schema.describe("Time to the first byte that is slow.").optional(),
  failures: wholeNumber(1, 10_000)
    .schema.describe("Failures in a row of a job, or failed logins of an address.")
    .optional(),
};

export const RULE_FIELDS = {
  name: displayName.schema.describe("Unique; 1 to 100 visible characters."),
  kind: kind.schema.describe("The condition that it watches."),
  status: status.schema.describe("`enabled` by default.").optional(),
  terms: fields(TERM_FIELDS)
    .describe("Numbers that it compares with, as far as they differ from the defaults of its kind.")
    .optional(),
  destinations: list(displayName.schema, { max: MAX_DESTINATIONS })
    .describe("Names of destinations. All enabled ones if absent, and none for an empty list.")
    .optional(),
  remind_minutes: wholeNumber(1, YEAR_MINUTES)
    .schema.describe("Interval at which an open alert is told again. Never if absent.")
    .optional(),
};

export const ALERT_RULE = fields(RULE_FIELDS).superRefine((given: unknown, context) => {
  if (!isMap(given)) return;
  const { kind: written, terms } = given;
  const known = ALERT_KINDS.find((each) => each === written);
  if (known === undefined || !isMap(terms)) return;
  const message = termsProblem(known, terms) ?? spanProblem(known, terms);
  if (message !== undefined) context.addIssue({ code: "custom", message, path: ["terms"] });
}, ALWAYS);

/** The minutes of channels are summed for each evaluation. */
export function spanProblem(
  of: AlertRuleDraft["kind"],
  { minutes }: { readonly minutes?: unknown },
): string | undefined {
  if (of === "unpriced_model" || Number(minutes ?? 1) <= MAX_MINUTES) return undefined;
  return `has more than ${MAX_MINUTES} minutes.`;
}

export function ruleOf(given: z.output<typeof ALERT_RULE>): AlertRuleDraft {
  const {
    name,
    kind: of,
    status: state,
    terms,
    destinations,
    remind_minutes: remindMinutes,
  } = given;
  return {
    name,
    kind: of,
    isEnabled: state !== "disabled",
    terms: defined(terms ?? {}),
    ...defined({ destinations, remindMinutes }),
  };
}

const address = parser<string>({
  expects: "a URL of at most 2,048 characters that starts with https:// or http://",
  shows: "never",
  parse: (given) =>
    /^https?:\/\/[\x21-\x7e]{1,2040}$/.test(given) && URL.canParse(given) ? given : undefined,
  format: () => "***",
});
const secret = parser<string>({
  expects: "a secret of at most 512 visible ASCII characters without spaces",
  shows: "never",
  parse: (given) => (/^[\x21-\x7e]{1,512}$/.test(given) ? given : undefined),
  format: () => "***",
});
const mailAddress = text("an e-mail address", /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,189}$/u);

export const DESTINATION_FIELDS = {
  name: displayName.schema.describe("Unique; 1 to 100 visible characters."),
  kind: choice(...DESTINATION_KINDS).schema.describe("The form of its messages."),
  status: status.schema.describe("`enabled` by default.").optional(),
  url: address.schema
    .meta({ type: "string", writeOnly: true })
    .describe("Address that messages are posted to. It is stored encrypted.")
    .optional(),
  secret: secret.schema
    .meta({ type: "string", writeOnly: true })
    .describe("Secret that signs messages to `feishu` and `dingtalk`. It is stored encrypted.")
    .optional(),
  to: list(mailAddress.schema, { max: MAX_MAIL_ADDRESSES })
    .describe("E-mail addresses of a destination of kind `email`.")
    .optional(),
};
