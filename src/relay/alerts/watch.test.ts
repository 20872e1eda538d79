import { describe, expect, test } from "bun:test";
import type { Alert, AlertChange, AlertDestination, AlertRule, GatewayFacts } from "#core/alert.ts";
import type { ChannelSum } from "#core/channel-minute.ts";
import { aChannel } from "#test/a-channel.ts";
import type { AlertMessage } from "./message.ts";
import { EMPTY_SUM } from "./view.ts";
import { AlertWatch } from "./watch.ts";

const START = 1_800_000_000_000;
const SECRET: AlertRule = { id: 1, name: "secrets", kind: "secret", isEnabled: true, terms: {} };
const DATABASE: AlertRule = {
  id: 2,
  name: "database",
  kind: "database_down",
  isEnabled: true,
  terms: {},
};
const FACTS: GatewayFacts = {
  instance: "gateway-1",
  troubles: {},
  unpriced: [],
  isSimulated: false,
  jobs: [],
  certificates: [],
  secrets: {},
  guesses: [],
};

function destination(id: number, more: Partial<AlertDestination> = {}): AlertDestination {
  const name = `d${id}`;
  return {
    id,
    name,
    kind: "slack",
    isEnabled: true,
    address: {},
    createdAt: 0,
    updatedAt: 0,
    ...more,
  };
}

/** One gateway and its database, with all that happens to them. */
class World {
  elapsed = 0;
  rules: readonly AlertRule[] = [SECRET, DATABASE];
  destinations = [destination(7), destination(8), destination(9, { isEnabled: false })];
  facts: GatewayFacts = FACTS;
  everyMs = 10_000;
  /** The database cannot be read, or cannot be written either. */
  isBroken = false;
  isDown = false;
  isLeased = true;
  isApplied = true;
  unreached: readonly number[] = [];
  readonly written: GatewayFacts[] = [];
  readonly leases: number[] = [];
  readonly fresh: number[] = [];
  readonly applied: AlertChange[] = [];
  applies = 0;
  sums = new Map<string, ChannelSum>();
  readonly added: AlertChange[] = [];
  readonly sent: [destination: number, id: string, message: AlertMessage][] = [];
  open: readonly Alert[] = [];

  readonly watch = new AlertWatch({
    sources: {
      minutes: { sums: async () => this.sums },
      channels: () => [{ source: "file", channel: aChannel({ name: "east" }) }],
      table: { models: new Map() },
    },
    rules: { list: async () => this.rules },
    destinations: { list: async () => this.destinations },
    alerts: {
      open: async () => this.open,
      lease: async (ms) => {
        this.leases.push(ms);
        return this.isLeased;
      },
      apply: async (changes) => {
        this.applies++;
        if (this.isApplied) this.applied.push(...changes);
        return this.isApplied;
      },
      add: async (change) => void this.added.push(change),
    },
    gatewayFacts: {
      read: async (freshMs) => {
        this.fresh.push(freshMs);
        if (this.isBroken) throw new Error("No database.");
        return [this.facts];
      },
      write: async (facts) => void this.written.push(facts),
    },
    funds: { budgets: async () => [], quotas: async () => [] },
    sender: {
      send: async ({ id }, messageId, message) => {
        this.sent.push([id, messageId, message]);
        return { isDelivered: !this.unreached.includes(id) };
      },
    },
    watch: { facts: () => this.facts },
    clock: { now: () => START + this.elapsed, monotonic: () => 50_000 + this.elapsed },
    instance: "gateway-1",
    everyMs: () => this.everyMs,
    ping: async () => {
      if (this.isDown) throw new Error("No database.");
    },
  });

  /** Runs after this time; the failure, if it fails. */
  async runAfter(ms: number): Promise<unknown> {
    this.elapsed += ms;
    return await this.watch.run().then(
      () => undefined,
      (cause: unknown) => cause,
    );
  }

  /** The database is down for long enough to be told. */
  async goDown(): Promise<void> {
    await this.runAfter(0);
    this.isBroken = this.isDown = true;
    await this.runAfter(0);
    await this.runAfter(20_000);
  }
}

const EXPOSED = { ...FACTS, secrets: { metrics: "Everyone can read it." } };

describe("an evaluation", () => {
  test("opens an alert for each finding, and shows the state of the gateways", async () => {
    const world = new World();
    expect([world.watch.openAlerts, world.watch.state.channels]).toEqual([0, []]);
    expect(world.watch.state.isPriced("m")).toBe(true);
    world.facts = EXPOSED;

    world.sums.set("east", {
      ...EMPTY_SUM,
      attempts: 4,
      failed: 4,
      faults: new Map([["upstream_failed", 4]]),
    });

    await world.runAfter(0);

    expect(world.applied).toMatchObject([
      { event: "began", destinations: [7, 8], alert: { subject: "metrics", beganAt: START } },
    ]);
    expect(world.applied[0]?.alert.id).toMatch(/^alert_[0-9A-Z]{26}$/i);
    expect(world.watch.openAlerts).toBe(1);
    expect(world.watch.state.facts).toEqual([EXPOSED]);
    expect(world.watch.state.channels).toMatchObject([
      { name: "east", condition: { state: "failing" } },
    ]);
    expect(world.watch.state.isPriced("m")).toBe(false);
  });

  test("writes nothing if nothing changed", async () => {
    const world = new World();

    await world.runAfter(0);

    expect([world.applies, world.watch.openAlerts]).toEqual([0, 0]);
  });

  test("is made by the gateway that has the lease, and every gateway writes its facts", async () => {
    const world = new World();
    world.facts = EXPOSED;
    await world.runAfter(0);
    world.isLeased = false;

    await world.runAfter(30_000);

    expect(world.applied).toHaveLength(1);
    expect([world.watch.openAlerts, world.written.length]).toEqual([0, 2]);
  });

  test("leases for three times its interval, or for a minute and a half", async () => {
    const world = new World();
    await world.runAfter(0);
    world.everyMs = 60_000;
    await world.runAfter(60_000);

    expect(world.leases).toEqual([90_000, 180_000]);
    expect(world.fresh).toEqual([90_000, 180_000]);
  });

  test("leases again after 30 seconds, or if another gateway took the lease", async () => {
    const world = new World();
    world.facts = EXPOSED;
    await world.runAfter(0);
    await world.runAfter(29_999);
    expect(world.leases).toHaveLength(1);
    await world.runAfter(1);
    expect(world.leases).toHaveLength(2);
    world.isApplied = false;
    await world.runAfter(1);

    await world.runAfter(1);

    expect(world.leases).toHaveLength(3);
  });

  test("asks for the lease again if it did not get it", async () => {
    const world = new World();
    world.isLeased = false;
    await world.runAfter(0);
    await world.runAfter(1);

    expect(world.leases).toHaveLength(2);
  });

  test("writes facts that changed at once, and others after 30 seconds", async () => {
    const world = new World();
    await world.runAfter(0);
    await world.runAfter(29_999);
    expect(world.written).toHaveLength(1);
    await world.runAfter(1);
    expect(world.written).toHaveLength(2);
    world.facts = EXPOSED;

    await world.runAfter(1);

    expect(world.written).toEqual([FACTS, FACTS, EXPOSED]);
  });
});

describe("a database that is down", () => {
  test("is told directly after twenty seconds, once to each enabled destination", async () => {
    const world = new World();
    await world.runAfter(0);
    world.isBroken = world.isDown = true;

    expect(String(await world.runAfter(5_000))).toBe("Error: No database.");
    await world.runAfter(19_999);
    expect(world.sent).toEqual([]);
    await world.runAfter(1);
    await world.runAfter(10_000);

    const id = world.sent[0]?.[2].alert.id ?? "";
    const at = START + 25_000;
    expect(world.sent.map(([to, messageId]) => [to, messageId])).toEqual([
      [7, `${id}.1.7`],
      [8, `${id}.1.8`],
    ]);
    expect(world.sent[0]?.[2]).toMatchObject({ event: "began", at });
    expect(world.sent[0]?.[2].alert).toMatchObject({
      ruleId: 2,
      ruleName: "database",
      kind: "database_down",
      subject: "gateway-1",
      level: 0,
      text: "The gateway gateway-1 cannot write to its database. Calls are refused.",
      beganAt: START + 5_000,
      seenAt: START + 5_000,
      toldLevel: 0,
      toldAt: at,
      messages: 1,
    });
  });

  test("is told again to a destination that was not reached", async () => {
    const world = new World();
    world.unreached = [8];
    await world.goDown();
    world.unreached = [];

    await world.runAfter(10_000);
    await world.runAfter(10_000);

    expect(world.sent.map(([to]) => to)).toEqual([7, 8, 8]);
  });

  test("is not told if it can be written, or if it comes back before", async () => {
    const world = new World();
    await world.runAfter(0);
    world.isBroken = true;
    await world.runAfter(0);
    await world.runAfter(20_000);
    world.isDown = true;
    await world.runAfter(0);
    world.isBroken = world.isDown = false;
    await world.runAfter(10_000);
    world.isBroken = world.isDown = true;
    await world.runAfter(10_000);
    await world.runAfter(19_999);

    expect([world.sent, world.added]).toEqual([[], []]);
  });

  test("is told by an enabled rule that is not silent, to the destinations of the rule", async () => {
    const sentBy = async (...rules: readonly AlertRule[]) => {
      const world = new World();
      world.rules = rules;
      await world.goDown();
      return world.sent.map(([to]) => to);
    };

    expect(await sentBy(SECRET)).toEqual([]);
    expect(await sentBy({ ...DATABASE, isEnabled: false })).toEqual([]);
    expect(await sentBy({ ...DATABASE, silencedUntil: START + 20_001 })).toEqual([]);
    expect(await sentBy({ ...DATABASE, silencedUntil: START + 20_000 })).toEqual([7, 8]);
    expect(await sentBy(SECRET, { ...DATABASE, destinations: ["d8"] })).toEqual([8]);
  });

  test("is stored as an ended alert once the database is back, and its end is told", async () => {
    const world = new World();
    await world.goDown();
    world.isBroken = world.isDown = false;

    await world.runAfter(10_000);
    await world.runAfter(10_000);

    const at = START + 30_000;
    expect(world.added).toMatchObject([
      {
        event: "ended",
        destinations: [7, 8],
        alert: { kind: "database_down", beganAt: START, seenAt: at, endedAt: at, messages: 2 },
      },
    ]);
  });

  test("is a new alert if it goes down again", async () => {
    const world = new World();
    world.unreached = [8];
    await world.goDown();
    world.isBroken = world.isDown = false;
    await world.runAfter(10_000);
    world.isBroken = world.isDown = true;
    await world.runAfter(10_000);
    expect(world.sent).toHaveLength(2);

    await world.runAfter(20_000);

    expect(new Set(world.sent.map(([, , { alert }]) => alert.beganAt))).toEqual(
      new Set([START, START + 40_000]),
    );
    expect(world.sent).toHaveLength(4);
  });

  test("is not stored if its rule was disabled meanwhile", async () => {
    const world = new World();
    await world.goDown();
    world.isBroken = world.isDown = false;
    world.rules = [];

    await world.runAfter(10_000);

    expect(world.added).toEqual([]);
  });
});
