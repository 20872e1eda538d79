import { expect, test } from "bun:test";
import { asRoot, ROOT, textIn } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor, whenItRests } from "#test/wait.ts";
import { said } from "./answer.ts";
import { openVendor, stream, type Vendor } from "./vendor.ts";

const CAPPED = "capped-key-0123456789abcdefgh";
const KIB = 1024;

/** One event of the wire format that one package reads. */
function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

const END = `${chunk({}, "stop")}data: [DONE]\n\n`;

function gatewayTo(vendor: Vendor, env: Record<string, string>): Promise<TestGateway> {
  return openTestGateway({
    yaml: `channels:
  - { name: a, provider: ai-sdk, base_url: "${vendor.url}/v1", api_key: k, options: { package: "@ai-sdk/openai", api: chat }, models: [m] }
models:
  m: { input: 1, output: 1000 }
keys:
  - { name: capped, key: ${CAPPED}, quota: "0.05" }`,
    env,
  });
}

function ask(gateway: TestGateway, key = KEY): Promise<Response> {
  return gateway.post(
    "/v1/chat/completions",
    { model: "m", stream: true, max_tokens: 20, messages: [{ role: "user", content: "Hello." }] },
    { authorization: `Bearer ${key}` },
  );
}

test("a stream may be long, but none of its events", async () => {
  let pieces: string[] = [];
  await using vendor = openVendor(() => stream(pieces));
  await using gateway = await gatewayTo(vendor, { SLUICE_LIMIT_EVENT_BYTES: "64KiB" });

  pieces = [...Array.from({ length: 2_000 }, () => chunk({ content: "x".repeat(KIB) })), END];
  const long = await said(await ask(gateway));
  expect([long.text.length, long.isDone, long.error]).toEqual([2_000 * KIB, true, undefined]);

  pieces = [chunk({ content: "first" }), ...Array.from({ length: 4_000 }, () => "x".repeat(KIB))];
  const broad = await said(await ask(gateway));
  expect([broad.text, broad.isDone, broad.error !== undefined]).toEqual(["first", false, true]);
});

test("a response beyond its client's quota is cancelled at the vendor as well", async () => {
  await using vendor = openVendor(() =>
    stream(
      Array.from({ length: 5_000 }, () => chunk({ content: "word ".repeat(20) })),
      "text/event-stream",
      () => Bun.sleep(5),
    ),
  );
  await using gateway = await gatewayTo(vendor, { SLUICE_CHECKPOINT_MS: "10ms" });
  using books = openBooks(gateway.dataDir);
  const answer = await said(await ask(gateway, CAPPED));

  expect(answer.error).toMatchObject({ code: "insufficient_quota" });
  expect(answer.isDone).toBe(false);
  await waitFor(() => vendor.cut === 1);
  expect(await books.whenSettled()).toEqual([]);
});

test("a response that a vendor ends with an error event is not read further", async () => {
  await using vendor = openVendor(() =>
    stream(
      [
        chunk({ content: "Half" }),
        `data: {"error":{"message":"overloaded","type":"server_error","code":"overloaded"}}\n\n`,
        ...Array.from({ length: 5_000 }, () => chunk({ content: " more" })),
      ],
      "text/event-stream",
      () => Bun.sleep(5),
    ),
  );
  await using gateway = await gatewayTo(vendor, {});
  const answer = await said(await ask(gateway));

  expect([answer.text, answer.isDone]).toEqual(["Half", false]);
  expect(answer.error).toBeDefined();
  await waitFor(() => vendor.cut === 1);
});

test("a slow client pauses the vendor, with any amount of data", async () => {
  let sent = 0;
  const piece = Array.from({ length: 60 }, () => chunk({ content: "x".repeat(KIB) })).join("");
  await using vendor = openVendor(() =>
    stream(
      Array.from({ length: 1_500 }, () => piece),
      "text/event-stream",
      async (index) => void (sent = index),
    ),
  );
  await using gateway = await gatewayTo(vendor, {});
  const answer = await ask(gateway);
  const reader = answer.body?.getReader();
  await reader?.read();

  expect(await whenItRests(() => sent)).toBeLessThan(700);
  await reader?.cancel();
  await waitFor(() => vendor.cut === 1);
});

test("a response whose key is deleted is cancelled at the vendor as well", async () => {
  await using vendor = openVendor(() =>
    stream(
      Array.from({ length: 5_000 }, () => chunk({ content: "word " })),
      "text/event-stream",
      () => Bun.sleep(5),
    ),
  );
  await using gateway = await gatewayTo(vendor, {
    SLUICE_ADMIN_EMAIL: ROOT.email,
    SLUICE_ADMIN_PASSWORD: ROOT.password,
  });
  using books = openBooks(gateway.dataDir);
  const root = await asRoot(gateway.url);
  const { data } = await root("POST", "/api/token", { name: "taken" });
  const asked = ask(gateway, textIn(data, "key"));
  await waitFor(() => vendor.seen.length === 1);

  await root("DELETE", `/api/token/${Number(data["id"])}`);

  const answer = await said(await asked);
  expect(answer.error?.["message"]).toContain("was deleted or disabled");
  expect(answer.isDone).toBe(false);
  await waitFor(() => vendor.cut === 1);
  expect(await books.whenSettled()).toEqual([]);
});
