import { expect, test } from "bun:test";
import { IS_LONG } from "../../test/seed.ts";
import { waitFor } from "../../test/wait.ts";
import { startSandbox } from "./server.ts";
import { answerTo, ask, at, post } from "./testing/chat.ts";

function order(url: string, method: string, body?: unknown): Promise<Response> {
  return fetch(`${url}/_sandbox/faults`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

test("received requests are recorded: path, headers, body and the delivered part", async () => {
  await using sandbox = await startSandbox();
  const body = ask("Say hi");
  const text = await (await post(sandbox, body, { key: "sk-one" })).text();

  const [record] = sandbox.requests;
  expect(record).toMatchObject({
    method: "POST",
    path: "/openai/v1/chat/completions",
    body,
    status: 200,
    state: "finished",
    faults: [],
  });
  expect(record?.headers["authorization"]).toBe("Bearer sk-one");
  expect(record?.delivered).toEqual({ bytes: Buffer.byteLength(text), events: 0, tokens: 1 });
  expect(record?.finishedAt).toBeGreaterThanOrEqual(record?.receivedAt ?? Infinity);
});

test("only the last thousand requests are kept", async () => {
  await using sandbox = await startSandbox();
  const knock = () =>
    fetch(`${sandbox.url}/openai/v1/models`).then((response) => response.arrayBuffer());
  for (let round = 0; round < 21; round++) await Promise.all(Array.from({ length: 50 }, knock));

  expect(sandbox.requests).toHaveLength(1_000);
  expect(sandbox.requests.at(-1)?.id).toBe(1_050);
});

test("a client that disconnects during a stream is recorded with the delivered part", async () => {
  await using sandbox = await startSandbox();
  const leave = new AbortController();
  const response = await post(
    sandbox,
    ask("Count to 500 [[fault:slow between_ms=5]]", { stream: true }),
    { signal: leave.signal },
  );
  const reader = response.body?.getReader();
  await reader?.read();
  leave.abort();
  await reader?.closed.catch(() => undefined);

  const [record] = sandbox.requests;
  await waitFor(() => record?.state === "aborted");
  expect(record?.finishedAt).toBeUndefined();
  expect(record?.delivered.events).toBeGreaterThan(0);
  expect(record?.delivered.tokens).toBeLessThan(200);
});

test("an ordered fault applies to the ordered number of requests", async () => {
  await using sandbox = await startSandbox();
  expect(
    (await order(sandbox.url, "POST", { name: "status", args: { code: 503 }, times: 2 })).status,
  ).toBe(201);
  const statuses: number[] = [];
  for (let round = 0; round < 3; round++) statuses.push((await post(sandbox, ask("hi"))).status);

  expect(statuses).toEqual([503, 503, 200]);
});

test("an ordered fault applies only to matching requests", async () => {
  await using sandbox = await startSandbox();
  await order(sandbox.url, "POST", {
    name: "status",
    args: { code: 500 },
    times: "always",
    match: { key: "sk-bad", model: "gpt-4o", text: "tide", path: "/openai/v1/chat" },
  });
  const status = async (key: string, model: string, text: string) =>
    (await post(sandbox, ask(text, { model }), { key })).status;

  expect(await status("sk-good", "gpt-4o", "tide")).toBe(200);
  expect(await status("sk-bad", "gpt-4o-mini", "tide")).toBe(200);
  expect(await status("sk-bad", "gpt-4o", "moon")).toBe(200);
  expect([
    await status("sk-bad", "gpt-4o", "tide"),
    await status("sk-bad", "gpt-4o", "tide"),
  ]).toEqual([500, 500]);
});

test("orders can be cancelled", async () => {
  await using sandbox = await startSandbox();
  await order(sandbox.url, "POST", { name: "status", times: "always" });
  expect((await order(sandbox.url, "DELETE")).status).toBe(204);

  expect((await post(sandbox, ask("hi"))).status).toBe(200);
});

test.each([
  [{}, 400],
  [{ name: "nonsense" }, 400],
  [{ name: "reset", args: { bytes: "many" } }, 400],
  [{ name: "hang", times: 0 }, 400],
  [{ name: "hang", match: { color: "red" } }, 400],
])("an invalid order is refused: %j", async (body, expected) => {
  await using sandbox = await startSandbox();

  expect((await order(sandbox.url, "POST", body)).status).toBe(expected);
  expect((await post(sandbox, ask("hi"))).status).toBe(200);
});

test("a path of no vendor gets the list of vendors", async () => {
  await using sandbox = await startSandbox();
  const response = await fetch(`${sandbox.url}/v1/models`);

  expect([response.status, (await response.text()).includes("/openai/")]).toEqual([404, true]);
});

test("the sandbox stops at once, even if clients wait for responses", async () => {
  const sandbox = await startSandbox();
  const waiting = [
    post(sandbox, ask("[[fault:hang]]")),
    post(sandbox, ask("[[fault:slow first_ms=600000]]")),
  ].map((call) => call.catch(() => "cut"));
  await waitFor(() => sandbox.requests.length === 2);
  await sandbox.stop();

  expect(await Promise.all(waiting)).toEqual(["cut", "cut"]);
  await waitFor(() => sandbox.requests.every((record) => record.state === "cut"));
});

test.skipIf(!IS_LONG)(
  "silence longer than the runtime's usual idle time does not end a connection",
  async () => {
    await using sandbox = await startSandbox();
    const answer = await answerTo(sandbox, ask("Say patience [[fault:slow first_ms=11000]]"));

    expect(at(answer, "choices", 0, "message", "content")).toBe("patience");
  },
  20_000,
);

test("two sandboxes are independent", async () => {
  await using first = await startSandbox();
  await using second = await startSandbox();
  first.faults.add({ name: "status", times: "always" });

  expect((await post(second, ask("hi"))).status).toBe(200);
  expect(first.requests).toHaveLength(0);
});
