import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
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

async function add(id: string, url: string, dueAt: number): Promise<void> {
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
  };
  await storage.notices.add(delivery);
}

test("a receiver that takes its time delays no other, however much there is for it", async () => {
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

test("a notice that nobody takes is sent again later, and those behind it at once", async () => {
  const posted: string[] = [];
  const deps = depsWith(async (url) => {
    posted.push(url);
    return url.endsWith("/refused") ? 500 : 200;
  });
  await add("first", "https://a.example/refused", START - 1_000);
  await add("second", "https://a.example/taken", START);

  await deliverWebhooks(deps, NEVER);
  await deliverWebhooks(deps, NEVER);
  expect(posted.toSorted()).toEqual(["https://a.example/refused", "https://a.example/taken"]);
  now += 10_000;
  await deliverWebhooks(deps, NEVER);

  expect(posted.at(-1)).toBe("https://a.example/refused");
});

test("a gateway that stops begins with no further notice", async () => {
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
