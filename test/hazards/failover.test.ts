import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openVendor } from "#test/adapter/vendor.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { readStream } from "#test/streams.ts";

let first: Sandbox;
let second: Sandbox;
let gateway: TestGateway;
let books: Books;

beforeAll(async () => {
  first = await startSandbox({ apiKeys: ["good-credential"] });
  second = await startSandbox();
  gateway = await openTestGateway({
    yaml: firstAndSecond(),
    env: { SLUICE_LIMIT_FIRST_BYTE_MS: "500", SLUICE_LIMIT_UNARY_MS: "500" },
  });
  books = openBooks(gateway.dataDir);
});
function firstAndSecond(): string {
  const models = "models: [gpt-4o-mini]";
  return `channels:
${simulatedChannel("first", first.url, models).replace(/api_key: .*/, "api_keys: [revoked-credential, good-credential]")}
${simulatedChannel("second", second.url, `${models}\npriority: 1`)}`;
}
afterAll(async () => {
  books.close();
  await gateway[Symbol.asyncDispose]();
  await first.stop();
  await second.stop();
});
afterEach(() => {
  first.faults.clear();
  gateway.gateway.health.forgetAll();
});

const ask = (more: object = {}, of: Pick<TestGateway, "post"> = gateway): Promise<Response> =>
  of.post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "Reply with exactly: pong" }],
    ...more,
  });

describe("when the first channel fails before its first byte", () => {
  const faults: [string, string, Record<string, string>][] = [
    ["refuses", "status", { code: "500" }],
    ["is overloaded", "status", { code: "503" }],
    ["asks to wait", "status", { code: "429" }],
    ["hangs", "hang", {}],
    ["cuts the connection", "reset", { before_headers: "1" }],
    ["sends an error with status 200", "error200", {}],
    ["sends a page with status 200", "page200", {}],
    ["redirects", "redirect", { to: "http://127.0.0.2:1/" }],
  ];
  test.each(faults)(
    "(it %s) the next channel answers, and only that one is charged",
    async (_what, name, args) => {
      for (const stream of [false, true]) {
        gateway.gateway.health.forgetAll();
        first.faults.clear();
        first.faults.add({ name, args, times: "always" });

        const answer = await ask({ stream });
        const text = await answer.text();
        await books.whenSettled();

        expect({ status: answer.status, stream }).toEqual({ status: 200, stream });
        expect(text).toContain("pong");
        const call = books.calls().at(-1);
        expect(call).toMatchObject({ channel: "second", outcome: "completed" });
        const attempts = JSON.parse(String(call?.["attempts"])) as {
          channel: string;
          fault: string | null;
        }[];
        expect(attempts.at(-1)).toMatchObject({ channel: "second", fault: null });
        expect(attempts.length).toBeGreaterThan(1);
      }
    },
  );

  test("(its stream breaks off before an event) the next channel answers", async () => {
    first.faults.add({ name: "truncate", args: { events: "0" }, times: "always" });

    expect(await readStream(await ask({ stream: true }))).toMatchObject({
      text: "pong",
      isDone: true,
    });
  });
});

test("a request refused by the vendor is not sent to another channel", async () => {
  const before = second.requests.length;
  first.faults.add({ name: "status", args: { code: "400" }, times: "always" });

  expect((await ask()).status).toBe(400);
  expect(second.requests.length).toBe(before);
});

test("after the first byte there is no failover, and the client gets an error event", async () => {
  const before = second.requests.length;
  first.faults.add({ name: "truncate", args: { events: "2" } });

  const seen = await readStream(await ask({ stream: true }));

  expect(seen.isDone).toBe(false);
  expect(seen.error).toBeDefined();
  expect(second.requests.length).toBe(before);
});

test("a revoked credential is replaced by the channel's next one, and skipped afterwards", async () => {
  for (let i = 0; i < 6; i++) expect((await ask()).status).toBe(200);

  const used = first.requests.slice(-7).map((each) => each.headers["authorization"]);
  expect(used.filter((each) => each?.includes("revoked")).length).toBeLessThanOrEqual(1);
  expect(used.at(-1)).toBe("Bearer good-credential");
});

test("during a storm of 429s, calls go to the available channels and rarely to the limited ones", async () => {
  first.faults.add({ name: "status", args: { code: "429" }, times: "always" });
  // Hundreds of calls at once may take longer than the limits that the other tests set.
  // Its clock stands still, so that no rest ends because the machine is slow.
  const clock = { now: () => Date.now(), monotonic: () => 1_000_000 };
  await using patient = await openTestGateway({ yaml: firstAndSecond(), clock });
  const askPatient = (): Promise<Response> => ask({}, patient);
  const before = first.requests.length;

  const answers = await Promise.all(Array.from({ length: 200 }, askPatient));
  const late = await Promise.all(Array.from({ length: 100 }, askPatient));

  expect([...answers, ...late].every((each) => each.status === 200)).toBe(true);
  const storm = first.requests.length - before;
  expect(storm).toBeLessThanOrEqual(400);
  const again = first.requests.length;
  await askPatient();
  expect(first.requests.length).toBe(again);
});

test("during a storm of 500s, the circuit of the failing channel opens", async () => {
  first.faults.add({ name: "status", args: { code: "500" }, times: "always" });
  for (let i = 0; i < 8; i++) expect((await ask()).status).toBe(200);
  const before = first.requests.length;

  for (let i = 0; i < 20; i++) expect((await ask()).status).toBe(200);

  expect(first.requests.length).toBe(before);
});

test("a call ends at its total deadline and is not retried on another channel", async () => {
  const hanging = await startSandbox();
  hanging.faults.add({ name: "hang", args: {}, times: "always" });
  const before = second.requests.length;
  await using hurried = await openTestGateway({
    yaml: `channels:
${simulatedChannel("hanging", hanging.url, "models: [gpt-4o-mini]")}
${simulatedChannel("other", second.url, "models: [gpt-4o-mini]\npriority: 1")}`,
    env: { SLUICE_LIMIT_TOTAL_MS: "300" },
  });

  const answer = await hurried.post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "Hi" }],
  });

  expect(answer.status).toBe(504);
  expect(second.requests.length).toBe(before);
  await hanging.stop();
});

test.each<[number, object, number, number]>([
  [401, { code: "invalid_api_key" }, 503, 2],
  [429, {}, 503, 2],
  // Whether that is about the account or the request is not said, so the vendor is asked again.
  [403, {}, 403, 3],
])(
  "a model that the vendor refuses with %i %j does not affect the other models of its channel",
  async (refusal, more, again, asked) => {
    await using vendor = openVendor(({ body }) =>
      body["model"] === "scarce"
        ? Response.json({ error: { message: "Not now.", ...more } }, { status: refusal })
        : Response.json({ choices: [{ message: { role: "assistant", content: "pong" } }] }),
    );
    await using opened = await openTestGateway({
      yaml: `channels:
  - { name: one, provider: openai, base_url: "${vendor.url}", api_key: secret-one, models: [scarce, plenty] }`,
    });
    const messages = [{ role: "user", content: "Hi" }];
    const statusOf = async (model: string): Promise<number> =>
      (await opened.post("/v1/chat/completions", { model, messages })).status;

    expect(await statusOf("scarce")).toBeGreaterThan(400);
    expect(await statusOf("plenty")).toBe(200);
    expect(await statusOf("scarce")).toBe(again);
    expect(vendor.seen.filter(({ method }) => method === "POST")).toHaveLength(asked);
  },
);

test("a model refused for one of a channel's accounts is requested with the next account", async () => {
  await using vendor = openVendor(({ headers }) =>
    headers.get("authorization")?.includes("poor") === true
      ? Response.json(
          { error: { message: "Project `p` has no access to model `m`", code: "model_not_found" } },
          { status: 403 },
        )
      : Response.json({ choices: [{ message: { role: "assistant", content: "pong" } }] }),
  );
  await using opened = await openTestGateway({
    yaml: `channels:
  - { name: one, provider: openai, base_url: "${vendor.url}", api_keys: [poor-account, rich-account], models: [scarce] }`,
  });
  const asked = { model: "scarce", messages: [{ role: "user", content: "Hi" }] };

  for (let calls = 0; calls < 3; calls++) {
    expect((await opened.post("/v1/chat/completions", asked)).status).toBe(200);
  }
  const poor = vendor.seen.filter((each) => each.headers.get("authorization")?.includes("poor"));
  expect(poor.length).toBe(1);
});

test("an event stream is recognised even if its server declares it as HTML", async () => {
  const events = [
    { choices: [{ index: 0, delta: { content: "pong" } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const headers = { "content-type": "text/html; charset=UTF-8" };
  await using vendor = openVendor(() => new Response(`${text}data: [DONE]\n\n`, { headers }));
  await using opened = await openTestGateway({
    yaml: `channels:
  - { name: one, provider: openai-compatible, base_url: "${vendor.url}", api_key: secret, models: [m] }`,
  });

  const question = { model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] };
  const answer = await opened.post("/v1/chat/completions", question);

  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('"content":"pong"');
});
