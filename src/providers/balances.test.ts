import { expect, test } from "bun:test";
import { findProvider } from "./index.ts";
import {
  deepseekBalance,
  klingBalance,
  moonshotBalance,
  openrouterBalance,
  siliconflowBalance,
  viduBalance,
} from "./balances.ts";

test("DeepSeek shows a balance in each currency, as text", () => {
  const infos = [
    { currency: "USD", total_balance: "0.00" },
    { currency: "CNY", total_balance: "110.50" },
  ];
  const read = (is_available: boolean) =>
    deepseekBalance.read({ is_available, balance_infos: infos }, "api.deepseek.com");

  expect(read(true)).toEqual({ amount: 110.5, currency: "CNY", isUsable: true });
  expect(read(false)?.isUsable).toBe(false);
});

test.each([
  ["api.moonshot.ai", "USD"],
  ["api.moonshot.cn", "CNY"],
])("Moonshot at %s shows a number in %s", (host, currency) => {
  const read = (available_balance: number) =>
    moonshotBalance.read({ code: 0, data: { available_balance, cash_balance: 3 } }, host);

  expect(read(49.5)).toEqual({ amount: 49.5, currency, isUsable: true });
  expect(read(-0.5)).toEqual({ amount: -0.5, currency, isUsable: false });
});

test("SiliconFlow shows a text", () => {
  const answer = { code: 20_000, data: { balance: "0.88", totalBalance: "88.88" } };

  expect(siliconflowBalance.read(answer, "api.siliconflow.cn")).toEqual({
    amount: 88.88,
    currency: "CNY",
    isUsable: true,
  });
});

test("OpenRouter shows the rest of the key's limit, if it has one", () => {
  const read = (limit_remaining: number | null) =>
    openrouterBalance.read({ data: { limit_remaining } }, "openrouter.ai");

  expect(read(74.5)).toEqual({ amount: 74.5, currency: "USD", isUsable: true });
  expect(read(0)?.isUsable).toBe(false);
  expect(read(null)).toBeUndefined();
});

test("Kling shows packages, of which those in use count", () => {
  const read = (packs: readonly (readonly [string, number])[]) => {
    const infos = packs.map(([status, remaining_quantity]) => ({ status, remaining_quantity }));
    return klingBalance.read(
      { code: 0, data: { resource_pack_subscribe_infos: infos } },
      "api.klingai.com",
    );
  };
  const used = ["runOut", 0] as const;

  expect(
    read([["online", 12.5], ["online", 3], ["expired", 258], ["toBeOnline", 99], used]),
  ).toEqual({ amount: 15.5, currency: "units", isUsable: true });
  expect(read([used])).toEqual({ amount: 0, currency: "units", isUsable: false });
  expect(read([])).toBeUndefined();
  const now = Date.UTC(2026, 10, 27);
  const { start_time: start, end_time: end } = klingBalance.query?.(now) ?? {};
  expect(Number(end)).toBe(now);
  expect(Number(start)).toBeLessThan(now - 366 * 86_400_000);
});

test("Vidu shows credits of each type of package", () => {
  const read = (credits: readonly number[]) =>
    viduBalance.read(
      { remains: credits.map((credit_remain) => ({ type: "metered", credit_remain })) },
      "api.vidu.com",
    );

  expect(read([100, 20])).toEqual({ amount: 120, currency: "credits", isUsable: true });
  expect(read([0])?.isUsable).toBe(false);
  expect(read([])).toBeUndefined();
  expect(viduBalance.read({ remains: [{ type: "metered" }] }, "api.vidu.com")).toBeUndefined();
});

test("an answer of another form has no balance", () => {
  const all = [deepseekBalance, moonshotBalance, siliconflowBalance, klingBalance, viduBalance];
  for (const { read } of all) {
    for (const answer of [null, [], {}, { data: {} }, { data: { totalBalance: "much" } }]) {
      expect(read(answer, "vendor.example")).toBeUndefined();
    }
  }
});

test.each([
  ["deepseek", "https://api.deepseek.com/user/balance"],
  ["moonshot", "https://api.moonshot.ai/v1/users/me/balance"],
  ["siliconflow", "https://api.siliconflow.cn/v1/user/info"],
  ["openrouter", "https://openrouter.ai/api/v1/key"],
  ["kling", "https://api-singapore.klingai.com/account/costs"],
  ["vidu", "https://api.vidu.com/ent/v2/credits"],
])("the balance at %s is at %s", (id, url) => {
  const { baseUrl = "", balance } = findProvider(id) ?? {};

  expect(new URL(balance?.path ?? "", `${baseUrl}/`).href).toBe(url);
});
