import { CONTENT_LEVELS } from "#core/content-log.ts";
import { FAMILIES } from "#core/family.ts";
import { MODEL_PATTERN } from "#core/key.ts";
import { USER_NAME } from "#core/user.ts";
import { isDay } from "#lib/iso-date.ts";
import { objectName } from "../names.ts";
import { choice, network, type Parser, parser, text, usd } from "../parsers.ts";
import { apiKey } from "../secrets.ts";
import { BUDGETS } from "./budgets.ts";
import { displayName } from "./display-name.ts";
import { ALWAYS, fields, isMap, list, reportRepeated, uniqueNames } from "./fields.ts";
import { KEY_LIMITS } from "./limits.ts";

const INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

export const instant: Parser<number> = parser({
  expects: "a date such as 2030-12-31 (its start, UTC) or 2030-12-31T18:00:00Z",
  shows: "always",
  parse(given) {
    const day = INSTANT.exec(given)?.[1];
    if (day === undefined) return undefined;
    const at = Date.parse(given);
    return isDay(day) && !Number.isNaN(at) ? at : undefined;
  },
  format: (at) => new Date(at).toISOString(),
});

export const modelPattern = text('a model name, a prefix followed by *, or "*"', MODEL_PATTERN);

const userName = text(
  "a log-in name: 1 to 64 of a-z, 0-9, dots, dashes and underscores",
  USER_NAME,
);

export const KEY_FIELDS = {
  name: objectName.schema.describe("Unique, formed like a channel's."),
  key: apiKey.schema.describe(
    "The secret of clients: 24 to 512 visible ASCII characters without spaces.",
  ),
  models: list(modelPattern.schema, { whenEmpty: "leave it out to allow all models." })
    .describe('Names that it may use; a trailing `*` matches any ending. `["*"]` by default.')
    .optional(),
  quota: usd.schema
    .describe(
      "The total amount it may spend, in US dollars, exact to nine decimals. Without it, the key has no limit of its own.",
    )
    .optional(),
  budgets: BUDGETS.describe(
    "Amounts for each hour, day, week and month: `{ day: 5, month: { amount: 100, start_day: 15 } }`. Without it, budgets that were set otherwise stay.",
  ).optional(),
  user: userName.schema
    .describe(
      "Log-in name of the user that it belongs to; root by default. A user that does not exist is created, without a login.",
    )
    .optional(),
  team: displayName.schema
    .describe(
      "Name of the team that its calls are charged to, in place of the user's. A team that does not exist is created.",
    )
    .optional(),
  expires_at: instant.schema
    .describe(
      "`2030-12-31` is the start of that day in UTC; `2030-12-31T18:00:00+02:00` is a moment. Never by default.",
    )
    .optional(),
  networks: list(network.schema, { whenEmpty: "leave it out to allow any address." })
    .describe(
      'IP networks and addresses from which it may be used, such as `[10.0.0.0/8, "::1"]`. Any by default.',
    )
    .optional(),
  endpoints: list(choice(...FAMILIES).schema, { whenEmpty: "leave it out to allow all endpoints." })
    .describe(
      `Allowed families, of ${FAMILIES.map((each) => `\`${each}\``).join(", ")}. All by default.`,
    )
    .optional(),
  content_log: choice(...CONTENT_LEVELS)
    .schema.describe(
      "Level of the content log: `off`, `errors` or `all`. That of the group or the gateway by default.",
    )
    .optional(),
  limits: KEY_LIMITS.describe(
    "`{ rpm, tpm, concurrency }`: requests a minute, tokens a minute, simultaneous calls.",
  ).optional(),
};

/** The keys of the file. */
export const KEYS = list(fields(KEY_FIELDS))
  .superRefine(uniqueNames, ALWAYS)
  .superRefine((keys: unknown, context) => {
    const texts = Array.isArray(keys) ? keys.map((each) => ({ key: secretOf(each) })) : keys;
    reportRepeated(texts, "key", "is already the key of another entry.", context);
  }, ALWAYS);

/** Undefined for an entry without a valid name or secret. */
function secretOf(key: unknown): string | undefined {
  if (!isMap(key) || typeof key["name"] !== "string") return undefined;
  const { key: secret } = key;
  return isMap(secret) && typeof secret["open"] === "function"
    ? String(secret["open"]())
    : undefined;
}
