import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signatureOf } from "#lib/standard-webhooks.ts";
import { openBooks } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const NOTICES = 10_000;
const AT_ONCE = 40;

let vendor: ReturnType<typeof openVendor>;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = openVendor();
  gateway = await openTestGateway({
    yaml: `
channels:
  - name: signed
    provider: kling
    base_url: ${vendor.url}
    api_key: "key-of-the-vendor|${SECRET}"
    models: [{ name: vid, upstream: kling-3.0-turbo }]
models:
  vid: { second: 0.001 }`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  vendor.stop();
});

/** A task that the vendor has taken on, and is not done with. */
async function begin(): Promise<string> {
  const answer = await gateway.post("/v1/videos", { model: "vid", prompt: "a fox" });
  return ((await answer.json()) as { id: string }).id;
}

interface Sent {
  readonly body: string;
  readonly secret?: string;
  readonly at?: number;
  readonly id?: string;
}

async function notify(task: string, { body, secret = SECRET, at, id = "n-1" }: Sent) {
  const timestamp = at ?? Math.floor(Date.now() / 1_000);
  const answer = await fetch(`${gateway.url}/callbacks/signed/${task}`, {
    method: "POST",
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatureOf(secret, { id, timestamp, body }),
    },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as object };
}

const done = (id: string) => JSON.stringify({ id, status: "succeeded", outputs: [] });

describe("[B5-2] a vendor's webhook", () => {
  test("only causes a poll: its content is not trusted", async () => {
    const task = await begin();
    const before = vendor.looks();

    const told = await notify(task, { body: done("v-1") });
    await waitFor(() => vendor.looks() > before, 3_000);
    const seen = (await (await gateway.get(`/v1/videos/${task}`)).json()) as { status: string };

    expect(told).toEqual({ status: 200, body: { code: 0, message: "success" } });
    expect(["queued", "in_progress"]).toContain(seen.status);
  });

  test("with an invalid or old signature is refused", async () => {
    const task = await begin();
    // At the beginning of a second, so that none passes between the clock's two readings.
    await Bun.sleep(1_000 - (Date.now() % 1_000));
    const now = Math.floor(Date.now() / 1_000);

    expect((await notify(task, { body: "{}", secret: "whsec_AAAA" })).status).toBe(401);
    expect((await notify(task, { body: "{}", at: now - 301 })).status).toBe(401);
    expect((await notify(task, { body: "{}", at: now + 301 })).status).toBe(401);
  });

  test("of an unknown task or channel is accepted and ignored", async () => {
    const elsewhere = await fetch(`${gateway.url}/callbacks/nobody/task_x`, {
      method: "POST",
      body: "{}",
    });

    expect((await notify("task_nobody", { body: done("v-none") })).status).toBe(200);
    expect(elsewhere.status).toBe(200);
  });
});

test("10,000 webhooks, repeated, out of order, forged and stale, cause one transition and no charge", async () => {
  const task = await begin();
  const before = vendor.looks();
  const now = Math.floor(Date.now() / 1_000);
  const kinds: readonly Sent[] = [
    { body: done("v-1") },
    { body: JSON.stringify({ id: "v-1", status: "processing" }) },
    { body: done("v-1"), secret: "whsec_AAAA" },
    { body: done("v-1"), at: now - 4_000 },
    { body: "not JSON" },
  ];
  const startedAt = Date.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < NOTICES; at = next++) {
      const kind = kinds[at % kinds.length];
      if (kind !== undefined) await notify(task, { ...kind, id: `n-${at % 100}` });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const seconds = (Date.now() - startedAt) / 1_000;

  using books = openBooks(gateway.dataDir);
  const closed = () => books.entries().filter((entry) => entry["call_id"] === task);
  expect(closed().filter(({ kind }) => kind !== "hold")).toEqual([]);
  // However many there are, the vendor is asked once a second at most.
  expect(vendor.looks() - before).toBeLessThanOrEqual(2 * (seconds + 3));

  vendor.finish();
  await notify(task, { body: done("v-1") });
  await waitFor(() => closed().some(({ kind }) => kind === "settle"), 10_000);
  await Promise.all(Array.from({ length: 200 }, () => notify(task, { body: done("v-1") })));
  expect(closed().filter(({ kind }) => kind === "settle" || kind === "void")).toHaveLength(1);
}, 120_000);

/** Takes on every task, and is done with none until it is told. */
function openVendor() {
  let made = 0;
  let looks = 0;
  let isDone = false;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { searchParams } = new URL(request.url);
      const ok = (data: object) =>
        Response.json({ code: 0, message: "SUCCEED", request_id: "r", data });
      if (request.method === "POST") return ok({ id: `v-${++made}`, status: "submitted" });
      looks++;
      const outputs = [{ type: "video", id: "o", url: "https://cdn.example/v.mp4", duration: "5" }];
      const status = isDone ? "succeeded" : "processing";
      return ok([
        { id: searchParams.get("task_ids"), status, message: "", outputs: isDone ? outputs : [] },
      ]);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    looks: () => looks,
    finish: () => void (isDone = true),
    stop: () => void server.stop(true),
  };
}
