import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { asRoot, asUser, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

let sandbox: Sandbox;
let opened: TestGateway;
let root: Ask;
let member: Ask;
const ids: string[] = [];
beforeAll(async () => {
  sandbox = await startSandbox({ tasks: { queuedMs: 0, runningMs: 0 } });
  const channel = simulatedChannel("sim", sandbox.url, "", "kling").replace("/openai/v1", "/kling");
  opened = await openWithRoot({
    yaml: `channels:\n${channel}\nmodels:\n  kling-v2-6: { second: 0.1 }\n`,
  });
  root = await asRoot(opened.url);
  member = await asUser(opened.url, "ada");
  const { data } = await member("POST", "/api/token", { name: "ada's" });
  for (const authorization of [`Bearer ${textIn(data, "key")}`, undefined]) {
    const response = await opened.post(
      "/v1/video/generations",
      { model: "kling-v2-6", prompt: "a fox", duration: 5 },
      authorization === undefined ? {} : { authorization },
    );
    ids.push(((await response.json()) as { readonly task_id: string }).task_id);
  }
  // A task has succeeded before its charge is written: the cost says that it was.
  await waitFor(async () => {
    const { data: page } = await root("GET", "/api/task?state=succeeded");
    const costs = listOf(page["items"]).map((each) => memberOf(each, "cost_usd"));
    return costs.length === 2 && !costs.includes(null);
  });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

test("auditors list the tasks of all users with channel and cost, page by page", async () => {
  const first = await root("GET", "/api/task?page_size=1");
  expect(first.data).toMatchObject({
    items: [{ id: ids[1], state: "succeeded", channel: "sim", error: null, held_usd: 0 }],
    next: ids[1],
  });
  const second = await root("GET", `/api/task?page_size=1&before=${ids[1]}`);
  expect(second.data).toMatchObject({
    items: [{ id: ids[0], user_name: "ada", token_name: "ada's", cost_usd: 0.5 }],
    next: null,
  });
  expect((await root("GET", "/api/task?state=failed")).data["items"]).toEqual([]);
  expect((await root("GET", "/api/task?state=nonsense")).status).toBe(400);
});

test("members see their own tasks, without the channel, and open the file by its link", async () => {
  expect((await member("GET", "/api/task")).status).toBe(403);
  const { data } = await member("GET", "/api/task/self");
  const items = listOf(data["items"]);
  expect(items.map((each) => memberOf(each, "id"))).toEqual([ids[0] ?? ""]);
  expect(items[0]).not.toHaveProperty("channel");

  const [link] = listOf(memberOf(items[0], "files"));
  const file = await fetch(textOf(link) ?? "");
  expect(file.status).toBe(200);
  expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(0);
});
