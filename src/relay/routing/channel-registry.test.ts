import { beforeEach, describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { ChannelState } from "#core/channel-state.ts";
import type { Catalog, ModelOverride } from "#core/model.ts";
import type { StoredChannel } from "#core/stored-routing.ts";
import { systemClock } from "#lib/clock.ts";
import { Channels } from "./channels.ts";
import { Health, type Visit } from "../failover/health.ts";
import {
  ChannelRegistry,
  isConfigured,
  isServing,
  type ChannelRegistryDeps,
} from "./channel-registry.ts";
import { poolOf, poolsOf } from "../failover/pools.ts";

const CATALOG: Catalog = {
  findModel: () => undefined,
  listModels: () => [],
  findCounting: () => undefined,
  findFamily: () => undefined,
};
const FIRST = credential("a-first-credential");
const SECOND = credential("a-second-credential");

function storedChannel(more: Partial<StoredChannel> = {}): StoredChannel {
  return {
    id: 1,
    revision: 1,
    changes: [],
    name: "main",
    provider: "openai",
    baseUrl: "https://vendor.example/v1",
    credentials: [FIRST],
    models: { kind: "listed", upstreamNames: new Map([["m", "m"]]) },
    priority: 0,
    weight: 1,
    isEnabled: true,
    reach: "public",
    sealedCredentials: 0,
    createdAt: 0,
    updatedAt: 0,
    ...more,
  };
}

const SIMULATED: Channel = {
  name: "simulated",
  provider: "openai",
  baseUrl: "http://127.0.0.1:1",
  credentials: [],
  models: { kind: "listed", upstreamNames: new Map([["m", "m"]]) },
  priority: 0,
  weight: 1,
  maxConcurrent: 1,
  isSimulated: true,
};

let stored: StoredChannel[];
let states: ChannelState[];
let said: Map<string, ModelOverride>;
let version: number;
let reads: number;
let closed: string[];
let issues: unknown[];
let table: Channels;
let health: Health;
beforeEach(() => {
  stored = [];
  states = [];
  said = new Map();
  version = 0;
  reads = 0;
  closed = [];
  issues = [];
  table = new Channels(CATALOG, new Map());
  health = new Health(systemClock);
});

function channelRegistry(more: Partial<ChannelRegistryDeps> = {}): ChannelRegistry {
  return new ChannelRegistry({
    channels: [],
    models: new Map(),
    fallback: async () => [SIMULATED],
    store: {
      channelStates: { list: async () => states },
      channels: {
        list: async () => {
          reads++;
          return stored;
        },
      },
      models: {
        list: async () => [...said].map(([name, override]) => ({ name, override, updatedAt: 0 })),
      },
      routingVersion: { read: async () => String(version) },
    },
    catalog: { load: async () => {} },
    table,
    health,
    egress: { closePool: (pool) => closed.push(pool) },
    maxConcurrent: 5,
    onConfigIssue: (what, issue) => issues.push({ ...what, issue }),
    ...more,
  });
}

const names = (): string[] => table.all.map(({ name }) => name);
const current = (): Channel => table.all[0] ?? SIMULATED;

describe("channels", () => {
  test("that are stored replace the simulator, which does not come back", async () => {
    const own = channelRegistry();
    await own.load();
    expect(names()).toEqual(["simulated"]);

    stored = [storedChannel({ isEnabled: false })];
    await own.load();
    expect(names()).toEqual([]);

    stored = [];
    await own.load();
    expect(names()).toEqual([]);
  });

  test("without their own limit have the global setting", async () => {
    stored = [storedChannel(), storedChannel({ id: 2, name: "narrow", maxConcurrent: 2 })];

    await channelRegistry().load();

    expect(table.all.map(({ maxConcurrent }) => maxConcurrent)).toEqual([5, 2]);
  });

  const withIssues: readonly (readonly [string, Partial<StoredChannel>])[] = [
    ["name_taken", { name: "simulated" }],
    ["provider_unknown", { provider: "of-a-later-version" }],
    ["credential_missing", { credentials: [] }],
    ["credential_unreadable", { credentials: [], sealedCredentials: 1 }],
  ];
  test.each(withIssues)("are left out with one warning: %s", async (issue, more) => {
    stored = [storedChannel(more)];
    const owner = "the file";
    const own = channelRegistry({ channels: [{ source: "file", owner, channel: SIMULATED }] });

    await own.load();
    await own.load();

    expect(names()).toEqual(["simulated"]);
    expect(own.channels[1]).toMatchObject({ issue, source: "stored" });
    expect(issues).toEqual([{ channel: stored[0]?.name, issue }]);
  });

  test("are only reloaded after a change", async () => {
    const own = channelRegistry();
    await own.load();

    await own.refresh();
    expect(reads).toBe(1);

    version++;
    stored = [storedChannel()];
    await own.refresh();
    await own.refresh();
    expect(reads).toBe(2);
    expect(names()).toEqual(["main"]);
  });
});

describe("the simulator answers", () => {
  test("alone until a channel is stored", async () => {
    const own = channelRegistry();
    expect(own.isSimulated).toBe(false);
    await own.load();
    expect(own.isSimulated).toBe(true);

    stored = [storedChannel()];
    await own.load();

    expect(own.isSimulated).toBe(false);
  });

  test("at no time if the file has no such channel", async () => {
    const own = channelRegistry({ fallback: undefined });

    await own.load();

    expect([own.isSimulated, own.channels]).toEqual([false, []]);
  });
});

test("a stored channel keeps all that its owner configured", async () => {
  const configured = {
    style: "responses",
    options: { region: "r" },
    limits: { requestsPerMinute: 3 },
    modelPrefix: "mine",
    notes: "A note.",
  };
  stored = [storedChannel(configured)];

  await channelRegistry().load();

  expect(current()).toMatchObject({ ...configured, isSimulated: false });
  stored = [storedChannel()];
  await channelRegistry().load();
  for (const name in configured) expect(current()).not.toHaveProperty(name);
});

test("the place where an entry is configured is known by its kind and name", () => {
  const own = channelRegistry({
    channels: [
      { source: "environment", owner: "a variable", channel: { ...SIMULATED, name: "first" } },
      { source: "file", owner: "line 1", channel: { ...SIMULATED, name: "both" } },
    ],
    models: new Map([["both", { source: "file", owner: "line 2", override: {} }]]),
  });

  expect(own.ownerOf("channels", "first")).toBe("a variable");
  expect(own.ownerOf("channels", "both")).toBe("line 1");
  expect(own.ownerOf("models", "both")).toBe("line 2");
  expect(own.ownerOf("models", "first")).toBeUndefined();
  expect(own.ownerOf("channels", "third")).toBeUndefined();
});

test("each load begins with updates of the catalog, and a failed one does not block the next", async () => {
  const failure = new Error("No database.");
  let loads = 0;
  const load = async (): Promise<void> => {
    if (++loads === 1) throw failure;
  };
  const own = channelRegistry({ catalog: { load } });
  stored = [storedChannel()];

  expect(await own.load().catch((cause: unknown) => cause)).toBe(failure);
  expect(names()).toEqual([]);
  await own.load();

  expect(loads).toBe(2);
  expect(names()).toEqual(["main"]);
});

test("loads do not overlap, so that the latest is applied last", async () => {
  const running = { now: 0, most: 0 };
  const load = async (): Promise<void> => {
    running.most = Math.max(running.most, ++running.now);
    await Promise.resolve();
    running.now--;
  };
  const own = channelRegistry({ catalog: { load } });

  await Promise.all([own.load(), own.load()]);

  expect(running.most).toBe(1);
});

describe("a channel that the gateway disabled", () => {
  const disabledState = (change: Partial<ChannelState> = {}): ChannelState => ({
    channel: "main",
    isDisabled: true,
    cause: "failing",
    reason: "it fails",
    since: 1,
    probeAt: 2,
    probes: 0,
    returnedAt: undefined,
    ...change,
  });

  test("stays in the table, and gets no calls until it returns", async () => {
    stored = [storedChannel()];
    states = [disabledState()];
    const own = channelRegistry();
    await own.load();
    const isUsed = () => own.channels.map((each) => [isConfigured(each), isServing(each)]);

    expect(names()).toEqual(["main"]);
    expect(own.channels[0]?.disabled?.reason).toBe("it fails");
    expect(isUsed()).toEqual([[true, false]]);
    expect(health.mayTry({ channel: current(), upstreamModel: "m" })).toBe(false);
    states = [disabledState({ isDisabled: false })];
    await own.load();

    expect(own.channels[0]).not.toHaveProperty("disabled");
    expect(isUsed()).toEqual([[true, true]]);
    expect(health.mayTry({ channel: current(), upstreamModel: "m" })).toBe(true);
  });

  test("is shown with the mistake of its configuration instead, if it has one", async () => {
    stored = [storedChannel({ credentials: [] })];
    states = [disabledState()];
    const own = channelRegistry();

    await own.load();

    expect(own.channels[0]).toMatchObject({ issue: "credential_missing" });
    expect(own.channels[0]).not.toHaveProperty("disabled");
    expect(own.channels.map(isServing)).toEqual([false]);
  });
});

describe("a change of one channel", () => {
  const failing = new GatewayError("upstream_failed", "It failed.");
  const enter = (channel: Channel): Visit => health.enter({ channel, upstreamModel: "m" });
  const failOn = (channel: Channel): void => {
    for (let i = 0; i < 5; i++) enter(channel).leave(failing);
  };
  const rest = (): void => failOn(current());

  test("keeps its slots, its health and its connections if its address stays", async () => {
    stored = [storedChannel()];
    const own = channelRegistry();
    await own.load();
    enter(current());
    rest();

    stored = [storedChannel({ priority: 7, weight: 2 })];
    await own.load();

    expect(current()).toMatchObject({ priority: 7, weight: 2 });
    expect(health.inFlight(current())).toBe(1);
    expect(health.state(current())).toBe("open");
    expect(closed).toEqual([]);
  });

  const moves: readonly (readonly [string, Partial<StoredChannel>])[] = [
    ["another address", { baseUrl: "https://elsewhere.example/v1" }],
    ["another path", { baseUrl: "https://vendor.example/v2" }],
    ["another credential", { credentials: [SECOND] }],
    ["other networks that it may lead into", { reach: "private" }],
  ];
  test.each(moves)("to %s opens new connections, and closes the old ones", async (_, more) => {
    stored = [storedChannel()];
    const own = channelRegistry();
    await own.load();
    const before = current();

    stored = [storedChannel(more)];
    await own.load();

    expect(closed).toEqual([...poolsOf(before)]);
    expect(poolsOf(current())).not.toEqual(poolsOf(before));
  });

  test("to another address resets its health, and ignores failures of earlier calls", async () => {
    stored = [storedChannel()];
    const own = channelRegistry();
    await own.load();
    const before = current();
    const visit = enter(before);
    rest();
    expect(health.state(before)).toBe("open");

    stored = [storedChannel({ baseUrl: "https://elsewhere.example/v1" })];
    await own.load();
    expect(health.state(current())).toBe("closed");
    failOn(before);

    expect(health.state(current())).toBe("closed");
    // What began on the old one still takes its place.
    expect(health.inFlight(current())).toBe(1);
    visit.leave(failing);
    expect(health.inFlight(current())).toBe(0);
    rest();
    expect(health.state(current())).toBe("open");
  });

  test("to another address resets its health, even if an earlier call is the first to report", async () => {
    stored = [storedChannel()];
    const own = channelRegistry();
    await own.load();
    const before = current();
    stored = [storedChannel({ baseUrl: "https://elsewhere.example/v1" })];
    await own.load();

    failOn(before);
    expect(health.state(current())).toBe("closed");

    rest();
    expect(health.state(current())).toBe("open");
  });

  test("to another address is probed by its own calls, not by earlier ones", async () => {
    let now = 0;
    health = new Health({ now: () => now, monotonic: () => now });
    stored = [storedChannel()];
    const own = channelRegistry();
    await own.load();
    const before = current();
    stored = [storedChannel({ baseUrl: "https://elsewhere.example/v1" })];
    await own.load();
    rest();
    now += 60_000;
    expect(health.state(current())).toBe("half-open");

    enter(before).leave(failing);

    expect(health.state(current())).toBe("half-open");
  });

  test("to another address while it is disabled resets its health as well", async () => {
    stored = [storedChannel()];
    const own = channelRegistry();
    await own.load();
    enter(current());
    rest();
    stored = [storedChannel({ isEnabled: false })];
    await own.load();

    stored = [storedChannel({ baseUrl: "https://elsewhere.example/v1" })];
    await own.load();

    expect(health.state(current())).toBe("closed");
    rest();
    expect(health.state(current())).toBe("open");
  });

  test("does not affect other channels' connections", async () => {
    const other = storedChannel({ id: 2, name: "other", credentials: [SECOND] });
    stored = [storedChannel(), other];
    const own = channelRegistry();
    await own.load();

    stored = [other];
    await own.load();

    expect(closed).toHaveLength(1);
    expect(names()).toEqual(["other"]);
    expect(closed).not.toContain(poolOf(current(), SECOND));
  });

  test("drops the models listed by its upstream, if it is another upstream", async () => {
    const discovering = storedChannel({ models: { kind: "discover" } });
    stored = [discovering];
    const own = channelRegistry();
    await own.load();
    const before = current();
    table.discovered(before, [{ id: "found" }]);

    stored = [{ ...discovering, priority: 3 }];
    await own.load();
    expect(table.find("found")).toBeDefined();

    stored = [{ ...discovering, baseUrl: "https://elsewhere.example" }];
    await own.load();
    expect(table.find("found")).toBeUndefined();
    // An answer that was under way is of no use any more.
    table.discovered(before, [{ id: "found" }]);
    expect(table.find("found")).toBeUndefined();
  });
});

describe("a stored model entry", () => {
  const price = { input: 1, output: 2, source: "a list", date: "2026-11-01" };

  test("applies from the next plan, and earlier plans keep their price", async () => {
    stored = [storedChannel()];
    const own = channelRegistry();
    await own.load();
    said.set("m", { price });
    await own.load();
    const [planned] = table.find("m") ?? [];

    said.set("m", { price: { ...price, input: 9 }, limits: { requestsPerMinute: 1 } });
    await own.load();

    expect(planned?.price?.input).toBe(1);
    expect(table.find("m")?.[0]).toMatchObject({ price: { input: 9 }, limited: { id: "model:m" } });
    expect(table.hasLimits).toBe(true);
    said.clear();
    await own.load();
    expect(table.find("m")?.[0]?.price).toBeUndefined();
    expect(table.hasLimits).toBe(false);
  });

  test("is ignored if the file has an entry for the model", async () => {
    stored = [storedChannel()];
    said.set("m", { price });
    const override = { price: { ...price, source: "the file's list" } };
    const own = channelRegistry({
      models: new Map([["m", { source: "file", owner: "the file", override }]]),
    });

    await own.load();

    expect(table.find("m")?.[0]?.price?.source).toBe("the file's list");
    expect(own.overrides.get("m")).toMatchObject({ source: "file" });
    expect(issues).toEqual([{ model: "m", issue: "name_taken" }]);
  });
});
