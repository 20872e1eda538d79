import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { SHARED, readLines, readShared, withVendors } from "../../test/shared.ts";
import { isJsonArray, isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { WEATHER, asObject, at, eventsIn, textAt } from "./testing/chat.ts";
import { chatCaller } from "./testing/compatible.ts";

let sandbox: Sandbox;
const qwen = chatCaller(() => sandbox, "/dashscope/compatible-mode/v1");

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

function ask(text: string, extra: JsonObject = {}): JsonObject {
  return { model: "qwen3-max", messages: [{ role: "user", content: text }], ...extra };
}

withVendors("corpus/dashscope", () => {
  const folder = "corpus/dashscope/chat-completions";
  const records = readdirSync(`${SHARED}/${folder}`).map((name) =>
    ours(readShared(`${folder}/${name}`)),
  );

  test("a complete response has exactly the members of recorded ones", async () => {
    const recorded = records.flatMap((record) => at(record, "response", "body") ?? []);
    const thinking = recorded.filter((body) => JSON.stringify(body).includes("reasoning_content"));
    const calling = recorded.filter((body) => JSON.stringify(body).includes("tool_calls"));
    const thought = await qwen.answer(ask("Say hi", { enable_thinking: true }));
    const called = await qwen.answer(ask("Weather in Oslo", { tools: [WEATHER] }));

    expect(thinking.length).toBeGreaterThan(0);
    expect(calling.length).toBeGreaterThan(0);
    for (const body of thinking) expect(membersOf(thought)).toEqual(membersOf(body));
    for (const body of calling) expect(membersOf(called)).toEqual(membersOf(body));
  });

  test("a stream has the members of recorded ones, chunk by chunk", async () => {
    const recorded = records.flatMap((record) => {
      const text = at(record, "response", "sse");
      return typeof text === "string" ? [shapeOf(eventsIn(text))] : [];
    });
    const text = await (
      await qwen.send(ask("Count to 9", { stream: true, stream_options: { include_usage: true } }))
    ).text();

    expect(recorded.length).toBeGreaterThan(0);
    for (const shape of recorded) expect(shapeOf(eventsIn(text))).toEqual(shape);
  });
});

withVendors("captured", () => {
  test("requests of other programs to chat endpoints are accepted or refused, never a failure", async () => {
    const failed: string[] = [];
    let count = 0;
    for (const name of ["qwen-code-openai.jsonl", "vercel.jsonl", "openai.jsonl"]) {
      for (const line of readLines(`captured/${name}`)) {
        const { path, body } = ours(line);
        const json = typeof body === "string" ? parseJson(body) : body;
        if (!textIs(path, "/chat/completions") || !isJsonObject(json)) continue;
        count++;
        const response = await qwen.send({ ...json, model: "qwen-plus" });
        if (response.status >= 500) failed.push(`${name}: ${await response.text()}`);
        else await response.body?.cancel();
      }
    }

    expect(count).toBeGreaterThan(10);
    expect(failed).toEqual([]);
  });
});

function textIs(value: Json | undefined, end: string): boolean {
  return typeof value === "string" && value.endsWith(end);
}

/** The same value, in the types of the sandbox. */
function ours(value: object): JsonObject {
  return asObject(parseJson(JSON.stringify(value)));
}

function membersOf(value: Json, path = ""): readonly string[] {
  if (isJsonArray(value)) return membersOf(value[0] ?? null, path);
  if (!isJsonObject(value)) return [path];
  return Object.entries(value)
    .flatMap(([key, part]) => membersOf(part, `${path}.${key}`))
    .toSorted();
}

/** The members of each chunk, without repetitions in a row. */
function shapeOf(events: readonly string[]): readonly string[] {
  const shapes = events.map((data) =>
    data === "[DONE]" ? data : shapeOfChunk(asObject(parseJson(data))),
  );
  return shapes.filter((shape, index) => shape !== shapes[index - 1]);
}

function shapeOfChunk(chunk: JsonObject): string {
  const finish = textAt(chunk, "choices", 0, "finish_reason");
  return `${membersOf(chunk).join(" ")} ${finish}`;
}
