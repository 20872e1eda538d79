import { expect, test } from "bun:test";
import { startSandbox } from "./server.ts";

async function control(url: string, method: string, body?: unknown) {
  const response = await fetch(`${url}/_sandbox/tasks`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

const usual = {
  queued_ms: 300,
  running_ms: 1_000,
  link_seconds: null,
  parallel: null,
  callback_order: "straight",
  callback_times: 1,
  callback_retry_ms: null,
  callback_secrets: [],
  rate_limits: false,
  errors_as_200: false,
  bare_results: false,
};

test("the settings of tasks are shown, changed in part, and reset", async () => {
  await using sandbox = await startSandbox();
  const change = { running_ms: 5, parallel: 2, callback_secrets: ["whsec_dGVzdA=="] };

  expect(await control(sandbox.url, "GET")).toEqual({ status: 200, answer: usual });
  expect(await control(sandbox.url, "PATCH", change)).toEqual({
    status: 200,
    answer: { ...usual, ...change },
  });
  expect(sandbox.tasks.runningMs).toBe(5);
  expect(await control(sandbox.url, "DELETE")).toEqual({ status: 200, answer: usual });
});

test.each([
  { running_ms: -1 },
  { running_ms: "5" },
  { callback_order: "random" },
  { callback_secrets: [1] },
  { rate_limits: 1 },
  { speed: 2 },
])("an invalid change changes nothing: %j", async (change) => {
  await using sandbox = await startSandbox();
  const { status } = await control(sandbox.url, "PATCH", { queued_ms: 7, ...change });

  expect(status).toBe(400);
  expect(sandbox.tasks.queuedMs).toBe(300);
});

test("a sandbox can be started with its own durations", async () => {
  await using sandbox = await startSandbox({ tasks: { queuedMs: 1 } });

  expect(sandbox.tasks).toMatchObject({ queuedMs: 1, runningMs: 1_000 });
});
