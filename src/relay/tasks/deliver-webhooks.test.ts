import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { WebhookDelivery } from "#core/webhook-delivery.ts";
import type { Clock } from "#lib/clock.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { openAt } from "#test/storage/contract-place.ts";
import type { Storage } from "#storage/open.ts";
import { waitFor } from "#test/wait.ts";
import { deliverWebhooks, type DeliverDeps } from "./deliver-webhooks.ts";

const START = 1_800_000_000_000;
const NEVER = new AbortController().signal;

let dataDir: string;
let storage: Storage;
let now: number;
const clock: Clock = { now: () => now, monotonic: () => now };

beforeEach(async () => {
  now = START;
  dataDir = mkdtempSync(join(tmpdir(), "sluice-notices-"));
  await placeSchema(dataDir);
  storage = await openAt({ dataDir }, { clock });
});
afterEach(async () => {
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function depsWith(post: (url: string) => Promise<number>): DeliverDeps {
  const secrets = { of: async () => [], rotate: async () => "" };
  return { notices: storage.notices, secrets, clock, links: { post } };
}

async function add(
  id: string,
  url: string,
  dueAt: number,
  more: Partial<WebhookDelivery> = {},
): Promise<void> {
  const delivery: WebhookDelivery = {
    id,
    userId: 1,
    taskId: "task_1",
    url,
    body: "{}",
    state: "pending",
    attempts: 0,
    createdAt: START,
    dueAt,
    ...more,
  };
  await storage.notices.add(delivery);
}

test("a slow receiver does not delay others, with any number of webhooks", async () => {
  const answers = Promise.withResolvers<number>();
  const posted: string[] = [];
  const deps = depsWith(async (url) => {
    posted.push(url);
    return url.includes("slow") ? await answers.promise : 200;
  });
  const slow = Array.from({ length: 100 }, (_, at) => `https://slow.example/${at}`);
  for (const [at, url] of slow.entries()) await add(`slow.${at}`, url, START - 1_000);
  await add("quick", "https://quick.example/", START);

  const sending = deliverWebhooks(deps, NEVER);
  await waitFor(() => posted.includes("https://quick.example/"));
  answers.resolve(200);
  await sending;

  for (let at = 0; at < slow.length; at++) {
    now += 10_000;
    await deliverWebhooks(deps, NEVER);
  }
  expect(posted.toSorted()).toEqual([...slow, "https://quick.example/"].toSorted());
});

test("a webhook that its receiver refuses is retried later, and the next ones are sent at once", async () => {
  const posted: string[] = [];
  const deps = depsWith(async (url) => {
    posted.push(url);
    return url.endsWith("/refused") ? 500 : 200;
  });
  await add("first", "https://a.example/refused", START - 1_000);
  await add("second", "https://a.example/taken", START);

  const attempts = new Map<string, object>();
  const seen: DeliverDeps = {
    ...deps,
    onAttempt: ({ delivery, state, failure }) =>
      void attempts.set(delivery.id, { state, status: failure?.status }),
  };
  await deliverWebhooks(seen, NEVER);
  await deliverWebhooks(deps, NEVER);
  expect(posted.toSorted()).toEqual(["https://a.example/refused", "https://a.example/taken"]);
  now += 10_000;
  await deliverWebhooks(deps, NEVER);

  expect(posted.at(-1)).toBe("https://a.example/refused");
  expect(Object.fromEntries(attempts)).toEqual({
    first: { state: "pending", status: 500 },
    second: { state: "delivered", status: undefined },
  });
});

test("a receiver gets four webhooks at the same time, also after the first ones ended", async () => {
  const running = { now: 0, most: 0 };
  const deps = depsWith(async () => {
    running.most = Math.max(running.most, ++running.now);
    await Promise.resolve();
    running.now--;
    return 200;
  });
  for (let at = 0; at < 14; at++) await add(`w${at}`, `https://a.example/${at}`, START);

  await deliverWebhooks(deps, NEVER);

  expect(running).toEqual({ now: 0, most: 4 });
});

test("a receiver gets four webhooks at once, also those that become due while one is running", async () => {
  const running: (() => void)[] = [];
  let [most, ended] = [0, 0];
  const deps = depsWith(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    most = Math.max(most, running.push(resolve));
    await promise;
    ended++;
    return 200;
  });
  for (let at = 0; at < 4; at++) await add(`first.${at}`, `https://a.example/${at}`, START);
  const sending = deliverWebhooks(deps, NEVER);
  await waitFor(() => running.length === 4);
  for (let at = 0; at < 8; at++) await add(`next.${at}`, `https://a.example/next/${at}`, START);

  // One of the first runs until all others ended.
  for (const each of running.splice(0, 3)) each();
  while (ended < 11) {
    await waitFor(() => running.length >= Math.min(4, 12 - ended));
    running.pop()?.();
    const before = ended;
    await waitFor(() => ended > before);
  }
  running[0]?.();
  await sending;

  expect({ most, ended }).toEqual({ most: 4, ended: 12 });
});

test("an attempt is reported with its duration", async () => {
  await add("only", "https://a.example/", START);
  const attempts: object[] = [];
  const deps = depsWith(async () => {
    now += 25;
    return 200;
  });

  await deliverWebhooks({ ...deps, onAttempt: (attempt) => void attempts.push(attempt) }, NEVER);

  expect(attempts).toMatchObject([{ at: START, durationMs: 25 }]);
});

async function onlyOne(): Promise<WebhookDelivery | undefined> {
  const [delivery] = await storage.notices.list({ userId: 1, limit: 1 });
  return delivery;
}

/** Delivers the only webhook until it is not due again: the pauses in between. */
async function pausesOf(deps: DeliverDeps): Promise<readonly number[]> {
  await add("only", "https://a.example/", START);
  const pauses: number[] = [];
  for (;;) {
    const before = now;
    await deliverWebhooks(deps, NEVER);
    const kept = await onlyOne();
    if (kept?.state !== "pending") return pauses;
    pauses.push(kept.dueAt - before);
    now = kept.dueAt;
  }
}

const SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

test.each([500, 302, 429])(
  "a receiver that answers %i is called again for days, with the standard's pauses",
  async (status) => {
    const pauses = await pausesOf(depsWith(async () => status));

    expect(pauses).toHaveLength(SECONDS.length);
    for (const [at, seconds] of SECONDS.entries()) {
      expect(Math.abs((pauses[at] ?? 0) / 1_000 - seconds)).toBeLessThanOrEqual(seconds / 10 + 1);
    }
    expect(await onlyOne()).toMatchObject({ state: "dead", attempts: 10 });
  },
);

test("a receiver that is gone permanently is not called again", async () => {
  expect(await pausesOf(depsWith(async () => 410))).toEqual([]);
  expect(await onlyOne()).toMatchObject({ state: "dead", attempts: 1 });
});

test("during a rotation of secrets, a webhook is signed with both", async () => {
  const sent: Readonly<Record<string, string>>[] = [];
  const secrets = ["old", "new"].map((name) => `whsec_${Buffer.from(name).toString("base64")}`);
  await add("signed", "https://a.example/", START);
  const deps: DeliverDeps = {
    ...depsWith(async () => 200),
    secrets: { of: async () => secrets, rotate: async () => "" },
    links: {
      post: async (_url, _body, headers) => {
        sent.push(headers);
        return 200;
      },
    },
  };
  await deliverWebhooks(deps, NEVER);

  const timestamp = START / 1_000;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const mac = createHmac("sha256", key).update(`signed.${timestamp}.{}`).digest("base64");
    return `v1,${mac}`;
  });
  expect(sent).toMatchObject([
    {
      "webhook-id": "signed",
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatures.join(" "),
    },
  ]);
});

test("a stopping gateway starts no further delivery", async () => {
  const stopping = new AbortController();
  const posted: string[] = [];
  const deps = depsWith(async (url) => {
    posted.push(url);
    stopping.abort();
    return 200;
  });
  for (let at = 0; at < 20; at++) await add(`n.${at}`, `https://a.example/${at}`, START);

  await deliverWebhooks(deps, stopping.signal);

  expect(posted.length).toBeLessThanOrEqual(4);
});

test("a receiver gets four webhooks at once, twelve wait, and the rest is due in five seconds", async () => {
  const answers = Promise.withResolvers<number>();
  let running = 0;
  const deps = depsWith(() => {
    running++;
    return answers.promise;
  });
  for (let at = 0; at < 20; at++) {
    await add(`n.${at}`, `https://a.example/${at}`, START, { attempts: 2, lastError: "It slept." });
  }

  const sending = deliverWebhooks(deps, NEVER);
  const crowded = async (): Promise<readonly WebhookDelivery[]> => {
    const all = await storage.notices.list({ userId: 1, limit: 100 });
    return all.filter(({ dueAt }) => dueAt === START + 5_000);
  };
  await waitFor(async () => (await crowded()).length > 0 && running > 0);
  expect(running).toBe(4);
  const [one] = await crowded();
  expect(one).toMatchObject({ state: "pending", attempts: 2, lastError: "It slept." });
  answers.resolve(200);
  await sending;

  expect(await crowded()).toHaveLength(4);
  expect(running).toBe(16);
});

test("a webhook that a stopping gateway did not send is due at once for the next gateway", async () => {
  const stopping = new AbortController();
  const deps = depsWith(async () => {
    stopping.abort();
    return 200;
  });
  for (let at = 0; at < 8; at++) await add(`n.${at}`, `https://a.example/${at}`, START);

  await deliverWebhooks(deps, stopping.signal);

  const all = await storage.notices.list({ userId: 1, limit: 100 });
  const waiting = all.filter(({ state }) => state === "pending");
  expect(waiting.length).toBeGreaterThan(0);
  for (const each of waiting) expect(each).toMatchObject({ attempts: 0, dueAt: START });
});

test("a failure of the database ends the delivery with it, and no further webhooks are taken", async () => {
  const deps = depsWith(async () => 200);
  for (let at = 0; at < 100; at++) await add(`n.${at}`, `https://a${at}.example/`, START);
  let leases = 0;
  const broken: DeliverDeps = {
    ...deps,
    notices: {
      ...deps.notices,
      lease: (ms: number, room: number) => {
        leases++;
        return storage.notices.lease(ms, room);
      },
      tried: async () => {
        throw new Error("The database is away.");
      },
    } as DeliverDeps["notices"],
  };

  const failure = await deliverWebhooks(broken, NEVER).catch(String);

  expect(failure).toBe("Error: The database is away.");
  expect(leases).toBeLessThanOrEqual(2);
});

test("a receiver that cannot be reached is called again, and the reason is kept", async () => {
  const deps = depsWith(async () => {
    throw new GatewayError("upstream_unreachable", "No connection to a.example.");
  });
  await add("only", "https://a.example/", START);

  await deliverWebhooks(deps, NEVER);

  expect(await onlyOne()).toMatchObject({
    state: "pending",
    attempts: 1,
    lastError: "No connection to a.example.",
  });
});

test.each([
  [199, "pending"],
  [200, "delivered"],
  [299, "delivered"],
  [300, "pending"],
])("the status %i leaves a webhook %s", async (status, state) => {
  await add("only", "https://a.example/", START);

  await deliverWebhooks(
    depsWith(async () => status),
    NEVER,
  );

  expect((await onlyOne())?.state).toBe(state as never);
});
