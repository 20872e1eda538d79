import type { ChannelTimeout } from "#core/channel.ts";
import type { DisableRules } from "#core/channel-state.ts";
import type { ChannelDraft } from "#core/stored-routing.ts";
import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import type { JsonObject } from "#lib/json.ts";
import { SENSITIVE } from "#lib/schema-rule.ts";
import { defined } from "#lib/values.ts";
import { duration, parser, ratio, text, wholeNumber, type Parser } from "../parsers.ts";
import { channelProxy, showProxy } from "./channel-proxy.ts";
import { fields, notEmpty } from "./fields.ts";

const HOUR_MS = 3_600_000;
const limit = duration(100, 24 * HOUR_MS);
const span = duration(60_000, 24 * HOUR_MS);

const yesOrNo: Parser<boolean> = parser({
  expects: "true or false",
  shows: "always",
  parse: (given) => (given === "true" ? true : given === "false" ? false : undefined),
  format: String,
  json: { type: "boolean" },
});

const BALANCE_DECIMALS = 4;
const MOST_BALANCE = 1e9;

/** In the vendor's currency. */
const amount: Parser<number> = parser({
  expects: `an amount from 0 to ${MOST_BALANCE} of at most ${BALANCE_DECIMALS} decimals`,
  shows: "always",
  parse(given) {
    const parts = parseDecimal(given, BALANCE_DECIMALS);
    if (parts === undefined || parts > MOST_BALANCE * 10 ** BALANCE_DECIMALS) return undefined;
    return parts / 10 ** BALANCE_DECIMALS;
  },
  format: (value) => formatDecimal(Math.round(value * 10 ** BALANCE_DECIMALS), BALANCE_DECIMALS),
  json: { type: "number", minimum: 0, maximum: MOST_BALANCE },
});

const TIMEOUT = fields({
  first_byte: limit.schema.describe("Until a stream begins.").optional(),
  total: limit.schema.describe("Until an answer ends.").optional(),
}).check(notEmpty("has no limit. Set first_byte or total, or leave it out."));

const AUTO_DISABLE = fields({
  refused: yesOrNo.schema.describe("If the vendor refuses every credential.").optional(),
  failing_share: ratio.schema
    .describe("If this share of the attempts failed; 0 for never.")
    .optional(),
  min_attempts: wholeNumber(1, 1_000_000)
    .schema.describe("Attempts within the window from which the share counts.")
    .optional(),
  window: span.schema.describe("The time over which the share counts, such as `10m`.").optional(),
  no_balance: yesOrNo.schema.describe("If the vendor's account has no balance left.").optional(),
}).check(notEmpty("has no rule. Set refused, failing_share or no_balance, or leave it out."));

/** The fields of a channel that say how the gateway works with it. */
export const OPERATION_FIELDS = {
  system_prompt: text("text of 1 to 20000 characters", /^(?!\s*$)[^\p{Cs}\0]{1,20000}$/u)
    .schema.meta({
      [SENSITIVE]: true,
      description:
        "Text before the system prompt of every text call, of at most 20000 characters. Its tokens are charged to the caller.",
    })
    .optional(),
  timeout: TIMEOUT.describe(
    "`{ first_byte, total }`, such as `30s`: shorter limits than the gateway's. Another channel is tried after them.",
  ).optional(),
  proxy: channelProxy.schema
    .describe(
      "`http://user:password@host:port` or `socks5://host:port`: all connections of the channel go through it.",
    )
    .optional(),
  auto_disable: AUTO_DISABLE.describe(
    "`{ refused, failing_share, min_attempts, window, no_balance }`: when the gateway disables the channel by itself. The settings `channels.disable_*` by default.",
  ).optional(),
  low_balance: amount.schema
    .describe("A balance at the vendor below this amount, in its currency, counts as low.")
    .optional(),
};

type Operation = Pick<
  ChannelDraft,
  "systemPrompt" | "timeout" | "proxy" | "autoDisable" | "lowBalance"
>;

interface Given {
  readonly system_prompt?: string | undefined;
  readonly timeout?: { readonly [name in "first_byte" | "total"]?: number | undefined } | undefined;
  readonly proxy?: ChannelDraft["proxy"] | undefined;
  readonly auto_disable?:
    | {
        readonly refused?: boolean | undefined;
        readonly failing_share?: number | undefined;
        readonly min_attempts?: number | undefined;
        readonly window?: number | undefined;
        readonly no_balance?: boolean | undefined;
      }
    | undefined;
  readonly low_balance?: number | undefined;
}

export function operationOf(given: Given): Operation {
  const { timeout, auto_disable: rules } = given;
  return defined({
    systemPrompt: given.system_prompt,
    timeout: timeout && defined({ firstByteMs: timeout.first_byte, totalMs: timeout.total }),
    proxy: given.proxy,
    autoDisable:
      rules &&
      defined({
        refused: rules.refused,
        failingShare: rules.failing_share,
        minAttempts: rules.min_attempts,
        windowMs: rules.window,
        noBalance: rules.no_balance,
      }),
    lowBalance: given.low_balance,
  });
}

/** The fields of a document. The login of a proxy is a placeholder. */
export function operationFields(channel: Operation): {
  readonly [field in keyof typeof OPERATION_FIELDS]?: JsonObject[string];
} {
  const { timeout, proxy, autoDisable, lowBalance } = channel;
  return defined({
    system_prompt: channel.systemPrompt,
    timeout: timeout && timeoutFields(timeout),
    proxy: proxy && showProxy(proxy),
    auto_disable: autoDisable && ruleFields(autoDisable),
    low_balance: lowBalance,
  });
}

function timeoutFields({ firstByteMs, totalMs }: ChannelTimeout): JsonObject {
  return defined({
    first_byte: firstByteMs === undefined ? undefined : limit.format(firstByteMs),
    total: totalMs === undefined ? undefined : limit.format(totalMs),
  });
}

function ruleFields(rules: DisableRules): JsonObject {
  return defined({
    refused: rules.refused,
    failing_share: rules.failingShare,
    min_attempts: rules.minAttempts,
    window: rules.windowMs === undefined ? undefined : span.format(rules.windowMs),
    no_balance: rules.noBalance,
  });
}
