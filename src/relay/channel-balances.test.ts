import { describe, expect, test } from "bun:test";
import type { ChannelBalance } from "#core/channel-balance.ts";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { aChannel } from "#test/a-channel.ts";
import { wholeReply } from "#test/whole-reply.ts";
import { Health } from "./failover/health.ts";
import { ChannelBalances, hasBalanceEndpoint, isLow } from "./channel-balances.ts";

const MINUTE = 60_000;
const NEVER = new AbortController().signal;

function channelWith(name: string, ...secrets: readonly string[]): Channel {
  const baseUrl = "https://upstream.test";
  return aChannel({ name, provider: "deepseek", baseUrl, credentials: secrets.map(credential) });
}

/** A vendor that has a balance for each secret, or answers with a text. */
function stage(answers: Readonly<Record<string, number | string>> = {}) {
  const time = { now: 1_000 * MINUTE };
  const state = { status: 200, lists: 0, closed: 0 };
  const sent: UpstreamRequest[] = [];
  const stored = new Map<string, ChannelBalance>();
  const low: ChannelBalance[] = [];
  const pruned: number[] = [];
  const balances = new ChannelBalances({
    egress: {
      async send(request): Promise<UpstreamReply> {
        sent.push(request);
        const answer = answers[request.credential?.open() ?? ""] ?? 0;
        const infos = [{ currency: "USD", total_balance: String(answer) }];
        const json = JSON.stringify({ is_available: true, balance_infos: infos });
        return {
          ...wholeReply({ text: typeof answer === "string" ? answer : json }),
          status: state.status,
          [Symbol.dispose]: () => void state.closed++,
        };
      },
    },
    store: {
      async list() {
        state.lists++;
        return [...stored.values()];
      },
      put: async (balance) => void stored.set(balance.channel, balance),
      prune: async (before) => void pruned.push(before),
    },
    health: new Health({ now: () => time.now, monotonic: () => time.now }),
    clock: { now: () => time.now },
    onLow: (balance) => void low.push(balance),
  });
  const failureOf = (channel: Channel) =>
    balances.read(channel, NEVER).then(
      () => undefined,
      (cause: unknown) => GatewayError.from(cause),
    );
  return { balances, time, state, sent, stored, low, pruned, failureOf };
}

describe("the balance of a channel", () => {
  test("is asked of its vendor, and stored", async () => {
    const { balances, sent, stored, state, time } = stage({ one: 5 });

    const balance = await balances.read(channelWith("a", "one"), NEVER);

    expect(balance).toEqual({
      channel: "a",
      amount: 5,
      currency: "USD",
      isUsable: true,
      at: time.now,
    });
    expect(stored.get("a")).toEqual(balance);
    expect(sent.map(({ method, url, isStream }) => [method, url.href, isStream])).toEqual([
      ["GET", "https://upstream.test/user/balance", false],
    ]);
    expect(sent[0]).not.toHaveProperty("headers");
    expect(sent[0]?.pool).toEndWith("/balance");
    expect(state.closed).toBe(1);
  });

  test("is asked for a span of time, if its vendor wants one", async () => {
    const { balances, sent } = stage();
    const channel = { ...channelWith("a", "access:secret"), provider: "kling" };

    await balances.read(channel, NEVER).catch(() => {});

    const { searchParams } = sent[0]?.url ?? new URL("https://unsent.test");
    expect(Number(searchParams.get("start_time"))).toBeLessThan(1_000 * MINUTE);
    expect(Number(searchParams.get("end_time"))).toBeGreaterThan(0);
  });

  test("is the lowest of its credentials, each of which is asked", async () => {
    const { balances, sent } = stage({ one: 5, two: 3, three: 3.5 });

    const { amount } = await balances.read(channelWith("a", "one", "two", "three"), NEVER);

    expect([amount, sent.length]).toEqual([3, 3]);
  });

  test("is asked without a credential if the channel has none", async () => {
    const { balances, sent } = stage({ "": 4 });

    expect((await balances.read(channelWith("a"), NEVER)).amount).toBe(4);
    expect(sent.map((each) => each.credential)).toEqual([undefined]);
  });

  test("is unknown if the vendor shows none, refuses, or answers with something else", async () => {
    const { failureOf, state } = stage({ one: "no JSON", two: "{}" });
    const openai = aChannel({ name: "a" });

    expect((await failureOf(openai))?.message).toBe(
      "The balance of the channel 'a' is unknown: 'openai' does not show balances to API keys.",
    );
    for (const secret of ["one", "two"]) {
      expect((await failureOf(channelWith("a", secret)))?.message).toStartWith(
        "The vendor's answer names no balance.",
      );
    }
    state.status = 500;
    expect((await failureOf(channelWith("a", "three")))?.vendor?.status).toBe(500);
    expect([hasBalanceEndpoint(openai), hasBalanceEndpoint(channelWith("a"))]).toEqual([
      false,
      true,
    ]);
  });
});

describe("a low balance", () => {
  test("is told when it falls below the threshold of the channel, and not again", async () => {
    const answers = { one: 10 };
    const { balances, low } = stage(answers);
    const channel = { ...channelWith("a", "one"), lowBalance: 5 };
    const toldAt = async (amount: number): Promise<number> => {
      answers.one = amount;
      await balances.read(channel, NEVER);
      return low.length;
    };

    expect(await toldAt(10)).toBe(0);
    expect(await toldAt(4)).toBe(1);
    expect(await toldAt(3)).toBe(1);
    expect(await toldAt(6)).toBe(1);
    expect(await toldAt(4)).toBe(2);
    expect(low[0]).toMatchObject({ channel: "a", amount: 4 });
  });

  test("is told at the first read", async () => {
    const { balances, low } = stage({ one: 0 });

    await balances.read(channelWith("a", "one"), NEVER);

    expect(low).toHaveLength(1);
  });

  test("is one below the threshold, of nothing, or of an account that takes no calls", () => {
    const at = (amount: number, isUsable = true) => ({ amount, currency: "USD", isUsable });
    const limit = { lowBalance: 5 };

    expect([at(5), at(4.9), at(9, false)].map((each) => isLow(each, limit))).toEqual([
      false,
      true,
      true,
    ]);
    expect([at(0.1), at(0), at(-1)].map((each) => isLow(each, {}))).toEqual([false, true, true]);
  });
});

test("the latest balance is read from the database every two seconds, and after a change", async () => {
  const { balances, time, state, stored } = stage({ one: 5 });
  expect(await balances.latest("a")).toBeUndefined();
  stored.set("a", { channel: "a", at: 1, amount: 9, currency: "USD", isUsable: true });
  time.now += 1_999;
  expect(await balances.latest("a")).toBeUndefined();
  time.now += 1;
  expect((await balances.latest("a"))?.amount).toBe(9);
  expect(state.lists).toBe(2);

  await balances.read(channelWith("a", "one"), NEVER);

  expect((await balances.latest("a"))?.amount).toBe(5);
});

describe("balances are refreshed", () => {
  const HOUR = 60 * MINUTE;

  test("if they are older than the interval, for channels whose vendor shows them", async () => {
    const { balances, time, sent, pruned } = stage({ one: 5 });
    const channels = [channelWith("a", "one"), aChannel({ name: "other" })];
    const onError = () => expect.unreachable();
    const asked = async (ms: number): Promise<number> => {
      time.now += ms;
      await balances.refresh(channels, HOUR, onError, NEVER);
      return sent.length;
    };

    expect(await asked(0)).toBe(1);
    expect(await asked(HOUR - 1)).toBe(1);
    expect(await asked(1)).toBe(2);
    expect(pruned.at(-1)).toBe(time.now - 30 * 24 * HOUR);
  });

  test("at most every five minutes", async () => {
    const { balances, time, sent } = stage({ one: 5 });
    const refresh = () =>
      balances.refresh([channelWith("a", "one")], 1, () => expect.unreachable(), NEVER);
    await refresh();
    time.now += 5 * MINUTE - 1;
    await refresh();
    expect(sent).toHaveLength(1);
    time.now += 1;
    await refresh();

    expect(sent).toHaveLength(2);
  });

  test("also after one that fails, which is reported unless the gateway stops", async () => {
    const { balances, sent } = stage({ one: "no JSON", two: 5 });
    const channels = [channelWith("a", "one"), channelWith("b", "two")];
    const failed: string[] = [];
    const onError = ({ name }: Channel): void => void failed.push(name);

    await balances.refresh(channels, HOUR, onError, NEVER);
    expect([failed, sent.length]).toEqual([["a"], 2]);
    await balances.refresh(channels, HOUR, onError, AbortSignal.abort());

    expect(failed).toEqual(["a"]);
  });
});
