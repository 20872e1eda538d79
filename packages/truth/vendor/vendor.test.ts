import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { promptOf, type Plan } from "./plan.ts";
import { billedTokens } from "./record.ts";
import { startVendor, type Vendor } from "./vendor.ts";

let vendor: Vendor;
beforeAll(async () => {
  vendor = await startVendor();
});
afterAll(() => vendor[Symbol.asyncDispose]());

function ask(channel: string, plan: Plan, more: object = {}): Promise<Response> {
  return fetch(`${vendor.addressOf(channel)}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: promptOf(plan) }],
      ...more,
    }),
  });
}

test("the vendor follows the plan in the prompt, and bills the call", async () => {
  const answer = await ask("good", { id: "a", tokens: 7 });

  expect(await answer.json()).toMatchObject({
    choices: [{ message: { content: "the the the the the the the" } }],
    usage: { prompt_tokens: 100, completion_tokens: 7 },
  });
  expect(billedTokens(vendor.records.get("a") ?? never())).toEqual({ input: 100, output: 7 });
});

test("a prompt in parts has its plan as well", async () => {
  const content = [{ type: "text", text: promptOf({ id: "parts", tokens: 3 }) }];
  const answer = await ask(
    "good",
    { id: "", tokens: 1 },
    { messages: [{ role: "user", content }] },
  );

  expect(await answer.json()).toMatchObject({ usage: { completion_tokens: 3 } });
});

test("usage ends a stream only if the gateway asks for it", async () => {
  const silent = await (await ask("good", { id: "b", tokens: 2 }, { stream: true })).text();
  const options = { stream: true, stream_options: { include_usage: true } };
  const telling = await (await ask("good", { id: "c", tokens: 2 }, options)).text();

  expect(silent).not.toContain("usage");
  expect(telling).toContain('"completion_tokens":2');
  expect(telling).toEndWith("data: [DONE]\n\n");
});

test("a stream without its reader is billed for the part that was written", async () => {
  const hangUp = new AbortController();
  const answer = await fetch(`${vendor.addressOf("good")}/chat/completions`, {
    method: "POST",
    signal: hangUp.signal,
    body: JSON.stringify({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: promptOf({ id: "left", tokens: 1_000, pauseMs: 20 }) }],
    }),
  });
  const reader = answer.body?.getReader();
  await reader?.read();
  hangUp.abort();
  const record = vendor.records.get("left") ?? never();
  while (record.abortedAt === undefined) await Bun.sleep(5);

  expect(record.isComplete).toBe(false);
  expect(billedTokens(record).output).toBeWithin(1, 1_000);
});

test("requests in chunks, and two that arrive at once, are read as they were sent", async () => {
  const { port } = new URL(vendor.addressOf("good"));
  const body = (id: string): string =>
    JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: promptOf({ id, tokens: 1 }) }],
    });
  const [one, two] = [body("one"), body("two")];
  const half = one.length >> 1;
  const chunks = [one.slice(0, half), one.slice(half), ""]
    .map((each) => `${Buffer.byteLength(each).toString(16)}\r\n${each}\r\n`)
    .join("");
  const head = "POST /good/v1/chat/completions HTTP/1.1\r\nhost: x\r\n";
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    `${head}transfer-encoding: chunked\r\n\r\n${chunks}` +
      `${head}content-length: ${Buffer.byteLength(two)}\r\n\r\n${two}`,
  );
  let text = "";
  for await (const bytes of socket) {
    text += String(bytes);
    if (text.includes("chatcmpl-two")) break;
  }

  expect(text.indexOf("chatcmpl-one")).toBeWithin(0, text.indexOf("chatcmpl-two"));
});

test("a fault of one channel leaves the others alone", async () => {
  const failed = await ask("failed", { id: "d", tokens: 1 });
  const good = await ask("good", { id: "e", tokens: 1 });

  expect([failed.status, good.status]).toEqual([500, 200]);
  expect(vendor.callsTo("failed")).toBe(1);
});

function never(): never {
  throw new Error("The vendor has no record of the call.");
}
