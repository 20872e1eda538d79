import { afterAll, beforeAll, expect, test } from "bun:test";
import { isJsonObject, parseJson, type JsonObject } from "../json.ts";
import { startSandbox, type Sandbox } from "../server.ts";
import {
  COUNTED,
  WEATHER,
  answerTo,
  asObject,
  ask,
  at,
  chunksOf,
  eventsIn,
  streamText,
  textAt,
} from "../testing/chat.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

test("nousage: no usage is sent, requested or not", async () => {
  const stream = await streamText(sandbox, "Say hi [[fault:nousage]]");

  expect(stream).not.toContain('"usage"');
  expect(stream).not.toContain('"choices":[]');
  expect(await answerTo(sandbox, ask("Say hi [[fault:nousage]]"))).not.toHaveProperty("usage");
});

test("lyingusage: the counts are impossible", async () => {
  const usage = async (kind: string) =>
    at(
      await answerTo(sandbox, ask(`Say hi [[fault:lyingusage kind=${kind}]]`)),
      "usage",
      "completion_tokens",
    );

  expect([
    await usage("negative"),
    await usage("huge"),
    await usage("string"),
    await usage("zero"),
  ]).toEqual([-2, 1e18, "1", 0]);
  expect(
    at(
      (await chunksOf(sandbox, ask("Say hi [[fault:lyingusage kind=negative]]", COUNTED))).at(-1),
      "usage",
      "completion_tokens",
    ),
  ).toBe(-2);
});

test("dupusage: every event has the usage so far", async () => {
  const chunks = await chunksOf(sandbox, ask("Say one two three [[fault:dupusage]]", COUNTED));

  expect(chunks.map((chunk) => at(chunk, "usage", "completion_tokens"))).toEqual([
    0, 1, 2, 3, 3, 3,
  ]);
});

test("bigevent: one event has the ordered size, and is counted", async () => {
  const text = await streamText(sandbox, "Say hi [[fault:bigevent mib=2]]");
  const whole = await answerTo(sandbox, ask("Say hi [[fault:bigevent mib=1]]"));

  const sizes = eventsIn(text).map((data) => data.length);
  expect(sizes.filter((size) => size > 2 * 1_048_576)).toHaveLength(1);
  expect(at(parseJson(eventsIn(text).at(-2) ?? ""), "usage", "completion_tokens")).toBe(
    1 + Math.ceil((2 * 1_048_576) / 7),
  );
  expect(textAt(whole, "choices", 0, "message", "content").length).toBeGreaterThan(1_048_576);
});

test("finish: the finish reason is replaced", async () => {
  const answer = await answerTo(sandbox, ask("Say hi [[fault:finish reason=content_filter]]"));

  expect(at(answer, "choices", 0, "finish_reason")).toBe("content_filter");
});

test.each<[string, (parts: readonly JsonObject[]) => boolean]>([
  [
    "repeatid",
    (parts) => parts.every((part) => typeof part["id"] === "string" && part["id"] !== ""),
  ],
  ["emptyid", (parts) => parts.some((part) => part["id"] === "")],
  ["nullid", (parts) => parts.some((part) => part["id"] === null)],
  ["noindex", (parts) => parts.every((part) => !("index" in part))],
  [
    "sameindex",
    (parts) =>
      parts.every((part) => part["index"] === 0) &&
      parts.filter((part) => "id" in part).length === 2,
  ],
  ["notype", (parts) => parts.every((part) => !("type" in part))],
  ["repeatname", (parts) => parts.every((part) => at(part, "function", "name") === "get_weather")],
  ["nullarguments", (parts) => parts.some((part) => at(part, "function", "arguments") === null)],
  [
    "object",
    (parts) =>
      parts.length === 2 && parts.every((part) => isJsonObject(at(part, "function", "arguments"))),
  ],
  [
    "whole",
    (parts) =>
      parts.length === 2 &&
      parts.every((part) => textAt(part, "function", "arguments").startsWith('{"city":')),
  ],
])("toolquirks: calls have the style %s", async (style, isInStyle) => {
  const chunks = await chunksOf(
    sandbox,
    ask(`Weather in Paris and in Rome [[fault:toolquirks style=${style}]]`, { tools: [WEATHER] }),
  );
  const usual = await chunksOf(sandbox, ask("Weather in Paris and in Rome", { tools: [WEATHER] }));
  const partsOf = (list: readonly JsonObject[]) =>
    list.flatMap((chunk) => at(chunk, "choices", 0, "delta", "tool_calls", 0) ?? []).map(asObject);

  expect(isInStyle(partsOf(chunks))).toBe(true);
  expect(isInStyle(partsOf(usual))).toBe(false);
});

test("toolquirks: a turn of calls can end with stop, and a complete response can have an object", async () => {
  const stopped = await answerTo(
    sandbox,
    ask("Weather in Rome [[fault:toolquirks style=stop]]", { tools: [WEATHER] }),
  );
  const object = await answerTo(
    sandbox,
    ask("Weather in Rome [[fault:toolquirks style=object]]", { tools: [WEATHER] }),
  );

  expect(at(stopped, "choices", 0, "finish_reason")).toBe("stop");
  expect(at(object, "choices", 0, "message", "tool_calls", 0, "function", "arguments")).toEqual({
    city: "Rome",
  });
});
