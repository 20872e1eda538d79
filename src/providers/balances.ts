import type { Balance } from "#core/channel-balance.ts";
import { memberOf, listOf, textOf, numberOf } from "#lib/values.ts";
import type { Json } from "#lib/json.ts";

/** The vendor's endpoint that shows the balance of an account. */
export interface BalanceEndpoint {
  /** Relative to the channel's address with a slash at its end. */
  readonly path: string;
  /** Required parameters. `now`: Unix ms. */
  query?(now: number): Readonly<Record<string, string>>;
  /** Undefined if the answer names no amount. `host`: of the channel's address. */
  read(answer: Json, host: string): Balance | undefined;
}

/** An account may have a balance in each currency. https://api-docs.deepseek.com/api/get-user-balance */
export const deepseekBalance: BalanceEndpoint = {
  path: "../user/balance",
  read(answer) {
    const balances = listOf(memberOf(answer, "balance_infos")).flatMap((each) => {
      const amount = amountOf(memberOf(each, "total_balance"));
      const currency = textOf(memberOf(each, "currency"));
      return amount === undefined || currency === undefined ? [] : [{ amount, currency }];
    });
    const [most] = balances.toSorted((one, other) => other.amount - one.amount);
    return most && { ...most, isUsable: memberOf(answer, "is_available") !== false };
  },
};

/** https://platform.moonshot.ai/docs/api/balance: at most 0 takes no calls. */
export const moonshotBalance: BalanceEndpoint = {
  path: "users/me/balance",
  read: (answer, host) =>
    balanceOf(memberOf(memberOf(answer, "data"), "available_balance"), regionalCurrency(host)),
};

/** https://docs.siliconflow.cn/cn/api-reference/userinfo/get-user-info */
export const siliconflowBalance: BalanceEndpoint = {
  path: "user/info",
  read: (answer, host) =>
    balanceOf(memberOf(memberOf(answer, "data"), "totalBalance"), regionalCurrency(host)),
};

/**
 * The rest of the key's own limit, because the balance of the account needs a management key.
 * https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key
 */
export const openrouterBalance: BalanceEndpoint = {
  path: "key",
  read: (answer) => balanceOf(memberOf(memberOf(answer, "data"), "limit_remaining"), "USD"),
};

/**
 * The rest of all packages, which the vendor updates with a delay of up to 12 hours. It lists
 * packages by the time of their purchase; an account without packages pays as it goes.
 * https://app.klingai.com/global/dev/document-api/apiReference/accountInfoInquiry
 */
export const klingBalance: BalanceEndpoint = {
  path: "account/costs",
  query: (now) => ({ start_time: String(now - PURCHASED_MS), end_time: String(now) }),
  read(answer) {
    const packs = listOf(memberOf(memberOf(answer, "data"), "resource_pack_subscribe_infos"));
    const usable = packs.filter((each) => memberOf(each, "status") === "online");
    return packs.length === 0
      ? undefined
      : sumOf(
          usable.map((each) => memberOf(each, "remaining_quantity")),
          "units",
        );
  },
};

/** Packages are valid for up to a year. */
const PURCHASED_MS = 400 * 86_400_000;

/** The rest of packages of each type. https://platform.vidu.com/docs */
export const viduBalance: BalanceEndpoint = {
  path: "ent/v2/credits",
  read(answer) {
    const amounts = listOf(memberOf(answer, "remains")).map((each) =>
      memberOf(each, "credit_remain"),
    );
    return amounts.length === 0 ? undefined : sumOf(amounts, "credits");
  },
};

function sumOf(values: readonly (Json | undefined)[], currency: string): Balance | undefined {
  const amounts = values.map(amountOf);
  const sum = amounts.reduce<number>((total, each) => total + (each ?? 0), 0);
  return amounts.includes(undefined) ? undefined : balanceOf(sum, currency);
}

function balanceOf(value: Json | undefined, currency: string): Balance | undefined {
  const amount = amountOf(value);
  return amount === undefined ? undefined : { amount, currency, isUsable: amount > 0 };
}

/** Some vendors write amounts as text. */
function amountOf(value: Json | undefined): number | undefined {
  const text = textOf(value);
  if (text === undefined) return numberOf(value);
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

/** The vendor has a site for China, and one for all other countries. */
function regionalCurrency(host: string): string {
  return host.endsWith(".cn") ? "CNY" : "USD";
}
