import { afterAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { asRoot, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { areCountersReachable, COUNTERS } from "#test/scratch-counters.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { waitFor } from "#test/wait.ts";

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

/** Receives messages; the address `/ill` fails once. */
function openReceiver() {
  const received: { readonly path: string; readonly text: string }[] = [];
  let failures = 1;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (path === "/ill" && failures-- > 0) return new Response("later", { status: 503 });
      received.push({ path, text: await request.text() });
      return new Response("ok");
    },
  });
  opened.defer(() => server.stop(true));
  return { received, origin: server.url.origin, port: server.port };
}

async function addDestination(root: Ask, name: string, url: string): Promise<void> {
  const draft = { name, kind: "slack", url };
  expect((await root("POST", "/api/alert/destination", draft)).status).toBe(200);
}

async function alertsOf(root: Ask, kind: string, state = "open"): Promise<readonly JsonObject[]> {
  const { data } = await root("GET", `/api/alert?kind=${kind}&state=${state}`);
  return (data["items"] ?? []) as readonly JsonObject[];
}

test.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "without its database, a gateway tells each destination directly and once, and the end later",
  async () => {
    const database = opened.use(await openScratchDatabase());
    const cutter = opened.use(await openCutter(database.url));
    const { received, origin, port } = openReceiver();
    let aheadMs = 0;
    await using gateway = await openWithRoot({
      yaml: "sandbox: off",
      env: {
        DATABASE_URL: cutter.through(database.url),
        SLUICE_SECRET: "a-secret-of-this-test-0123456789",
        SLUICE_LINKS_ALLOW: "127.0.0.1",
        SLUICE_LINKS_PORTS: String(port),
        SLUICE_LIMIT_ALERT_MS: "100",
      },
      clock: { now: () => Date.now() + aheadMs, monotonic: () => performance.now() },
    });
    const root = await asRoot(gateway.url);
    for (const name of ["well", "ill"]) await addDestination(root, name, `${origin}/${name}`);
    const readyOf = async () => (await fetch(`${gateway.url}/readyz`)).status;
    const ofDatabase = () => received.filter(({ text }) => text.includes("database"));
    // The rules and destinations are known after an evaluation, which may take seconds on a busy machine.
    await Bun.sleep(3_000);

    cutter.cut();
    await waitFor(async () => (await readyOf()) === 503);
    await Bun.sleep(500);
    expect(ofDatabase()).toEqual([]);
    aheadMs = 21_000;
    await waitFor(() => ofDatabase().length === 2);
    await Bun.sleep(500);
    expect(ofDatabase().map(({ path }) => path)).toEqual(["/well", "/ill"]);
    for (const { text } of ofDatabase()) {
      expect(text).toContain("cannot write to its database. Calls are refused.");
    }

    // The database has a clock of its own, by which messages are due.
    aheadMs = 0;
    cutter.mend();
    await waitFor(() => ofDatabase().length === 4, 20_000);
    await Bun.sleep(300);
    const ends = ofDatabase().slice(2);
    expect(new Set(ends.map(({ path }) => path))).toEqual(new Set(["/well", "/ill"]));
    await waitFor(async () => (await alertsOf(root, "database_down", "ended")).length > 0);
    const [ended] = await alertsOf(root, "database_down", "ended");
    expect(ended).toMatchObject({ state: "ended", messages: 2 });
    await waitFor(async () => (await alertsOf(root, "database_down")).length === 0);
  },
  60_000,
);

describe.if(areCountersReachable || process.env["CI"] !== undefined)("without Redis", () => {
  test("an alert begins although no call needs it, and ends when it answers again", async () => {
    const cutter = opened.use(await openCutter(COUNTERS));
    await using gateway = await openWithRoot({
      yaml: "sandbox: off",
      env: {
        REDIS_URL: cutter.through(COUNTERS),
        SLUICE_SECRET: `secret of this test ${crypto.randomUUID()}`,
        SLUICE_LIMIT_ALERT_MS: "100",
      },
    });
    const root = await asRoot(gateway.url);
    await Bun.sleep(300);
    expect(await alertsOf(root, "redis_down")).toEqual([]);

    cutter.cut();
    await waitFor(async () => (await alertsOf(root, "redis_down")).length === 1);
    const [begun = {}] = await alertsOf(root, "redis_down");
    expect(textIn(begun, "text")).toMatch(
      /^Valkey or Redis has not answered since 20.*, to 1 of 1 gateways: each counts limits by itself\.$/,
    );

    cutter.mend();
    await waitFor(async () => (await alertsOf(root, "redis_down")).length === 0, 20_000);
    expect(await alertsOf(root, "redis_down", "ended")).toHaveLength(1);
  }, 60_000);
});
