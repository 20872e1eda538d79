import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks } from "#test/books.ts";
import { openTestGateway, simulatedChannel } from "#test/harness.ts";
import { times } from "#test/seed.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const CAPPED = "capped-key-0123456789abcdefgh";
const channel = (): string => simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]");
const body = (content: string, more: object = {}) => ({
  model: "gpt-4o-mini",
  max_tokens: 1_000,
  messages: [{ role: "user", content }],
  ...more,
});

/** What one such call reserves, as the ledger says: it has the holds of streams. */
async function holdOf(content: string): Promise<number> {
  await using gateway = await openTestGateway({ yaml: `channels:\n${channel()}` });
  await (await gateway.post("/v1/chat/completions", body(content, { stream: true }))).text();
  using books = openBooks(gateway.dataDir);
  await books.whenSettled();
  return Number(books.entries().find((each) => each["kind"] === "hold")?.["held_delta"]);
}

const usd = (nano: number): string => (nano / 1e9).toFixed(9);

test("500 concurrent calls on a budget for exactly 50: exactly 50 are admitted, every round", async () => {
  // All are under way before the first one settles and frees what it did not use.
  const content = "hi [[fault:slow first_ms=2000]]";
  const budget = usd((await holdOf(content)) * 50);

  for (let round = 0; round < times(2, 20); round++) {
    const keys = `keys:\n  - { name: capped, key: ${CAPPED}, quota: "${budget}" }`;
    await using gateway = await openTestGateway({ yaml: `channels:\n${channel()}\n${keys}` });
    using books = openBooks(gateway.dataDir);
    const headers = { authorization: `Bearer ${CAPPED}` };

    const answers = await Promise.all(
      Array.from({ length: 500 }, () =>
        gateway.post("/v1/chat/completions", body(content), headers),
      ),
    );
    const statuses = answers.map((each) => each.status);
    const refused = answers.find((each) => each.status === 402);

    expect(statuses.filter((status) => status === 200).length).toBe(50);
    expect(statuses.filter((status) => status === 402).length).toBe(450);
    expect(await refused?.json()).toMatchObject({
      error: { type: "insufficient_quota", code: "insufficient_quota" },
    });
    expect(refused?.headers.get("x-should-retry")).toBe("false");
    await books.whenSettled();
    const account = books.accounts().find((each) => String(each["id"]).startsWith("key:"));
    expect(account).toMatchObject({ held: 0 });
    expect(Number(account?.["spent"])).toBeLessThanOrEqual(Number(account?.["granted"]));
    expect(books.calls().filter((each) => each["outcome"] === "completed").length).toBe(50);
  }
});

test("a stream that exceeds the key's quota is ended, and the overdraft is small", async () => {
  const hold = await holdOf("hi");
  const keys = `keys:\n  - { name: capped, key: ${CAPPED}, quota: "${usd(hold * 2)}" }`;
  await using gateway = await openTestGateway({
    yaml: `channels:\n${channel()}\n${keys}`,
    env: { SLUICE_CHECKPOINT_MS: "50" },
  });
  using books = openBooks(gateway.dataDir);

  const answer = await gateway.post(
    "/v1/chat/completions",
    body("go on [[fault:endless]]", { stream: true }),
    { authorization: `Bearer ${CAPPED}` },
  );
  const text = await answer.text();

  expect(text).toContain('"code":"insufficient_quota"');
  expect(text).not.toContain("[DONE]");
  await books.whenSettled();
  const account = books.accounts().find((each) => String(each["id"]).startsWith("key:"));
  expect(account).toMatchObject({ held: 0 });
  expect(books.calls().at(-1)).toMatchObject({ outcome: "failed", fault: "out_of_quota" });
  expect(books.verify()).toEqual([]);
});
