import { afterAll, beforeAll, expect, test } from "bun:test";
import { openBooks } from "#test/books.ts";
import { asking } from "./asked.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";

const MODEL = "doubao-seedance-2-5-260628";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  // Never made: what is reserved stays.
  sandbox = await startSandbox({ tasks: { queuedMs: 3_600_000, runningMs: 0 } });
  gateway = await openTestGateway({
    yaml: `channels:
  - { name: ark, provider: ark, base_url: "${sandbox.url}/ark/api/v3", api_key: key, models: ["${MODEL}"] }
models:
  ${MODEL}: { second: 0.1 }
`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

test("[B4.2-a] the longest video is reserved if the model decides on the length", async () => {
  const held = async (more: object): Promise<number> => {
    const { status, body } = await asking(gateway).post(
      "/videoa/api/v3/contents/generations/tasks",
      { model: MODEL, content: [{ type: "text", text: "a lake" }], ...more },
    );
    expect(status).toBe(200);
    using books = openBooks(gateway.dataDir);
    const hold = books
      .entries()
      .find(({ call_id: id, kind }) => id === body["id"] && kind === "hold");
    return Number(hold?.["held_delta"]) / 1e9;
  };

  expect(await held({ duration: -1 })).toBeCloseTo(3);
  expect(await held({ duration: 5 })).toBeCloseTo(0.5);
  expect(await held({})).toBeCloseTo(0.5);
});
