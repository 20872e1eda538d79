import { describe, expect, test } from "bun:test";
import type { ChannelBalance } from "#core/channel-balance.ts";
import type { ChannelMinute } from "#core/channel-minute.ts";
import type { ChannelState, DisableRules } from "#core/channel-state.ts";
import { credential } from "#core/channel.ts";
import { nanoUsd } from "#core/money.ts";
import { aChannel } from "#test/a-channel.ts";
import type { ListedChannel } from "../routing/channel-registry.ts";
import { ChannelWatch, type ChannelWatchDeps } from "./channel-watch.ts";
import type { ChannelFailure } from "#core/channel-troubles.ts";

const MINUTE = 60_000;
const OFF = {
  disableRefused: "off",
  disableFailingShare: 0,
  disableMinAttempts: 20,
  disableWindowMs: 10 * MINUTE,
  disableNoBalance: "off",
} as const;
const FIRST = credential("the-first-secret-of-a-channel");
const SECOND = credential("the-second-credential-of-it");

function refusal(label: string, more: Partial<ChannelFailure> = {}): ChannelFailure {
  const code = "upstream_auth" as const;
  return { since: 1, code, credential: label, status: 401, reason: "no such key", ...more };
}

/** Gateways of one database, with a clock that stands still. */
class World {
  readonly #states = new Map<string, ChannelState>();
  now = 100 * MINUTE;
  works = false;
  probes = 0;
  loads = 0;
  reads = 0;
  minuteReads = 0;
  /** Rules of a second channel, which is never disabled. */
  neighbour: DisableRules | undefined;
  onProbe: (() => unknown) | undefined;
  isSimulated = false;
  readonly pruned: [before: number, names: readonly string[]][] = [];
  refusals: ChannelFailure[] = [];
  minutes: ChannelMinute[] = [];
  balances: ChannelBalance[] = [];
  readonly told: string[] = [];

  state(): ChannelState | undefined {
    return this.#states.get("one");
  }

  attempts(failed: number, attempts: number, minute = this.now - MINUTE): void {
    const sum = { cost: nanoUsd(0), firstBytes: new Map(), faults: new Map() };
    this.minutes.push({ channel: "one", minute, attempts, failed, ...sum });
  }

  gateway(rules: DisableRules = {}, settings: Partial<ChannelWatchDeps["settings"]> = {}) {
    const channel = aChannel({ credentials: [FIRST, SECOND], autoDisable: rules });
    const listed = (): ListedChannel => {
      const state = this.state();
      const disabled = state?.isDisabled === true ? { disabled: state } : {};
      return { source: this.isSimulated ? "simulated" : "file", channel, ...disabled };
    };
    const autoDisable = this.neighbour;
    const neighbours: readonly ListedChannel[] =
      autoDisable === undefined
        ? []
        : [{ source: "file", channel: aChannel({ name: "two", autoDisable }) }];
    const watch = new ChannelWatch({
      registry: {
        get channels() {
          return [listed(), ...neighbours];
        },
        load: async () => void this.loads++,
      },
      health: {
        troubles: () => ({
          refusals: this.refusals,
          lastFailure: undefined,
          cooldownUntil: undefined,
          openUntil: undefined,
        }),
      },
      minutes: {
        read: async (_channel, from) => {
          this.minuteReads++;
          return this.minutes.filter(({ minute }) => minute >= from);
        },
      },
      states: this.#store(),
      balances: {
        list: async () => {
          this.reads++;
          return this.balances;
        },
      },
      settings: { ...OFF, ...settings },
      clock: { now: () => this.now },
      probe: async () => {
        this.probes++;
        await this.onProbe?.();
        return this.works;
      },
      observers: [
        {
          onDisabled: ({ channel: name, cause }) => this.told.push(`${name} ${cause}`),
          onEnabled: (name, by) => this.told.push(`${name} back, by ${by ?? "a test"}`),
        },
      ],
    });
    return {
      run: () => watch.run(new AbortController().signal),
      enable: (by: string) => watch.enable("one", by),
    };
  }

  #store(): ChannelWatchDeps["states"] {
    const states = this.#states;
    return {
      list: async () => {
        this.reads++;
        return [...states.values()];
      },
      async disable(state) {
        const before = states.get(state.channel);
        if (before?.isDisabled === true) return false;
        const returnedAt = before?.returnedAt;
        states.set(state.channel, { ...state, isDisabled: true, returnedAt });
        return true;
      },
      async leaseProbe(state, probeAt) {
        const now = states.get(state.channel);
        if (now?.probeAt !== state.probeAt) return false;
        states.set(state.channel, { ...now, probeAt, probes: now.probes + 1 });
        return true;
      },
      async enable(channel, at) {
        const now = states.get(channel);
        if (now?.isDisabled !== true) return false;
        states.set(channel, { ...now, isDisabled: false, returnedAt: at });
        return true;
      },
      prune: async (before, names) => void this.pruned.push([before, names]),
    };
  }
}

describe("a channel is disabled by the gateway", () => {
  test("only by a rule: nothing happens by default", async () => {
    const world = new World();
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    world.attempts(50, 50);
    world.balances = [{ channel: "one", amount: 0, currency: "USD", isUsable: false, at: 1 }];

    await world.gateway().run();

    expect([world.state(), world.told]).toEqual([undefined, []]);
  });

  test("if the vendor refuses all its credentials in clear words", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });

    world.refusals = [refusal(FIRST.label)];
    await gateway.run();
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label, { code: "upstream_denied" })];
    await gateway.run();
    expect(world.told).toEqual([]);
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    await gateway.run();

    expect(world.told).toEqual(["one refused"]);
    expect(world.state()).toMatchObject({
      isDisabled: true,
      reason: "the vendor refuses the credential: no such key (HTTP 401)",
      since: world.now,
      probeAt: world.now + MINUTE,
    });
  });

  test("if enough attempts failed within the window, and not if they are few or old", async () => {
    const world = new World();
    const gateway = world.gateway({ failingShare: 0.8, minAttempts: 10, windowMs: 5 * MINUTE });

    world.attempts(90, 90, world.now - 20 * MINUTE);
    world.attempts(9, 9);
    await gateway.run();
    world.attempts(0, 4);
    await gateway.run();
    expect(world.told).toEqual([]);
    world.attempts(8, 8);
    await gateway.run();

    expect(world.state()?.reason).toBe("17 of 21 attempts failed in 5 minutes");
  });

  test("if its account has nothing left", async () => {
    const world = new World();
    const gateway = world.gateway({}, { disableNoBalance: "on" });

    world.balances = [{ channel: "one", amount: 0.5, currency: "CNY", isUsable: true, at: 1 }];
    await gateway.run();
    expect(world.told).toEqual([]);
    world.balances = [{ channel: "one", amount: -1, currency: "CNY", isUsable: true, at: 2 }];
    await gateway.run();

    expect(world.state()?.reason).toBe("the vendor's account has -1 CNY left");
  });

  test("by its own rule instead of that of the settings", async () => {
    const world = new World();
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];

    await world.gateway({ refused: false }, { disableRefused: "on" }).run();
    expect(world.told).toEqual([]);
    await world.gateway({}, { disableRefused: "on" }).run();

    expect(world.told).toEqual(["one refused"]);
  });
});

describe("a channel that the gateway disabled", () => {
  test("is tested at growing intervals, and returns after a success", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    await gateway.run();
    const start = world.now;

    const tests: number[] = [];
    for (let minute = 1; minute <= 20; minute++) {
      world.now = start + minute * MINUTE;
      const before = world.probes;
      await gateway.run();
      if (world.probes > before) tests.push(minute);
    }
    world.works = true;
    world.now = start + 31 * MINUTE;
    await gateway.run();

    expect(tests).toEqual([1, 3, 7, 15]);
    expect(world.told).toEqual(["one refused", "one back, by a test"]);
    expect(world.state()).toMatchObject({ isDisabled: false, returnedAt: world.now });
  });

  test("is not disabled again by old evidence, and waits longer if it fails again soon", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    await gateway.run();
    world.works = true;
    world.now += MINUTE;
    await gateway.run();

    await gateway.run();
    expect(world.state()?.isDisabled).toBe(false);
    const since = world.now + 1;
    world.refusals = [refusal(FIRST.label, { since }), refusal(SECOND.label, { since })];
    world.now += MINUTE;
    await gateway.run();

    expect(world.state()).toMatchObject({ isDisabled: true, probeAt: world.now + 2 * MINUTE });
  });

  test("is decided and tested by one of two gateways", async () => {
    const world = new World();
    const [one, other] = [world.gateway({ refused: true }), world.gateway({ refused: true })];
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];

    await Promise.all([one.run(), other.run()]);
    expect(world.told).toEqual(["one refused"]);
    world.now += MINUTE;
    await Promise.all([one.run(), other.run()]);

    expect(world.probes).toBe(1);
    expect(world.loads).toBe(1);
  });

  test("is tested although no channel has a rule any more", async () => {
    const world = new World();
    world.neighbour = {};
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    await world.gateway({ refused: true }).run();
    world.works = true;
    world.now += MINUTE;

    await world.gateway({}).run();

    expect(world.told).toEqual(["one refused", "one back, by a test"]);
  });

  test("is not reported again if a user enables it during its test", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    await gateway.run();
    world.works = true;
    world.now += MINUTE;
    world.onProbe = () => gateway.enable("ada");

    await gateway.run();

    expect(world.told).toEqual(["one refused", "one back, by ada"]);
    expect(world.loads).toBe(2);
  });

  test("is enabled by a user at once", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    await gateway.run();

    expect(await gateway.enable("ada")).toBe(true);
    expect(await gateway.enable("ada")).toBe(false);

    await gateway.run();
    expect(world.told).toEqual(["one refused", "one back, by ada"]);
  });

  test("needs a new failure after its return: one of the same moment is old evidence", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    await gateway.run();
    await gateway.enable("ada");
    const since = world.now;
    world.refusals = [refusal(FIRST.label, { since }), refusal(SECOND.label, { since })];

    await gateway.run();

    expect(world.state()?.isDisabled).toBe(false);
  });

  test("waits for its first interval again if it fails an hour after its return", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];
    await gateway.run();
    world.works = true;
    world.now += MINUTE;
    await gateway.run();
    const since = world.now + 1;
    world.refusals = [refusal(FIRST.label, { since }), refusal(SECOND.label, { since })];
    world.now += 60 * MINUTE;

    await gateway.run();

    expect(world.state()).toMatchObject({ isDisabled: true, probeAt: world.now + MINUTE });
  });

  test("is disabled by attempts of whole minutes since its return only", async () => {
    const world = new World();
    const gateway = world.gateway({ failingShare: 0.5, minAttempts: 5, windowMs: 10 * MINUTE });
    world.attempts(9, 9);
    await gateway.run();
    world.now += MINUTE / 2;
    await gateway.enable("ada");
    world.attempts(9, 9, 100 * MINUTE);
    world.now += 2 * MINUTE;

    await gateway.run();
    expect(world.state()?.isDisabled).toBe(false);
    world.attempts(9, 9, 101 * MINUTE);
    await gateway.run();

    expect(world.state()?.isDisabled).toBe(true);
  });

  test("stays enabled although its account was empty before its return", async () => {
    const world = new World();
    const gateway = world.gateway({ noBalance: true });
    const empty = { channel: "one", amount: 0, currency: "USD", isUsable: false };
    world.balances = [{ ...empty, at: world.now }];
    await gateway.run();
    await gateway.enable("ada");

    await gateway.run();
    expect(world.state()?.isDisabled).toBe(false);
    world.balances = [{ ...empty, at: world.now + 1 }];
    await gateway.run();

    expect(world.state()?.isDisabled).toBe(true);
  });

  test("keeps its place until a test succeeds, and every gateway loads each change once", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];

    await gateway.run();
    expect(world.loads).toBe(1);
    world.now += MINUTE;
    await gateway.run();
    expect(world.loads).toBe(1);
    world.works = true;
    world.now += 2 * MINUTE;
    await gateway.run();
    expect(world.loads).toBe(2);

    expect(await gateway.enable("ada")).toBe(false);
    expect(world.loads).toBe(2);
  });
});

describe("the watch of channels", () => {
  test("reads nothing if no rule is set and no channel is disabled", async () => {
    const world = new World();

    await world.gateway().run();
    expect(world.reads).toBe(0);
    await world.gateway({ refused: true }).run();
    expect([world.reads, world.minuteReads]).toEqual([1, 0]);
    await world.gateway({ failingShare: 0.5 }).run();

    expect([world.reads, world.minuteReads]).toEqual([2, 1]);
  });

  test("changes nothing if no rule applies", async () => {
    const world = new World();

    await world.gateway({ refused: true, failingShare: 0.5, noBalance: true }).run();

    expect([world.loads, world.told]).toEqual([0, []]);
  });

  test("reads balances only for a rule about them", async () => {
    const world = new World();

    await world.gateway({ noBalance: true }).run();
    expect(world.reads).toBe(2);
    world.neighbour = { refused: true };
    await world.gateway({ noBalance: true }).run();

    expect(world.reads).toBe(4);
  });

  test("leaves simulated channels alone", async () => {
    const world = new World();
    world.isSimulated = true;
    world.refusals = [refusal(FIRST.label), refusal(SECOND.label)];

    await world.gateway({ refused: true }).run();

    expect(world.told).toEqual([]);
  });

  test("removes states of a month ago once an hour", async () => {
    const world = new World();
    const gateway = world.gateway({ refused: true });
    const month = 30 * 24 * 60 * MINUTE;
    const start = world.now;

    await gateway.run();
    world.now += 60 * MINUTE - 1;
    await gateway.run();
    expect(world.pruned).toEqual([[start - month, ["one"]]]);
    world.now += 1;
    await gateway.run();

    expect(world.pruned).toHaveLength(2);
  });
});
