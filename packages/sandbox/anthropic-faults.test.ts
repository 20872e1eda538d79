import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import {
  assembled,
  eventsOf,
  FORECAST,
  messageTo,
  namedEvents,
  postMessages,
  say,
} from "./testing/messages.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

test.each([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [409, "conflict_error"],
  [413, "request_too_large"],
  [418, "invalid_request_error"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [503, "api_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
])("status: %i is an error of the type %s", async (code, type) => {
  const response = await postMessages(
    sandbox,
    say(`hi [[fault:status code=${code} retry_after=7]]`),
  );

  expect([response.status, response.headers.get("retry-after")]).toEqual([code, "7"]);
  expect(asObject(parseJson(await response.text()))).toMatchObject({
    type: "error",
    error: { type },
  });
});

test("status: type and message can be chosen", async () => {
  const body = say(
    '[[fault:status code=400 error=invalid_request_error message="Your credit balance is too low"]]',
  );

  expect(await messageTo(sandbox, body)).toMatchObject({
    error: { type: "invalid_request_error", message: "Your credit balance is too low" },
  });
});

test("streamerror: the error is an event of that name, and ends the stream", async () => {
  const events = await eventsOf(
    sandbox,
    say("Count to 9 [[fault:streamerror after=5 error=overloaded_error]]"),
  );

  expect(events).toHaveLength(6);
  expect(events.at(-1)).toMatchObject({
    name: "error",
    data: { type: "error", error: { type: "overloaded_error" } },
  });
});

test("nodone and truncate: a stream without its end", async () => {
  const names = async (fault: string) =>
    (await eventsOf(sandbox, say(`Say one two [[fault:${fault}]]`))).map(({ name }) => name);

  expect((await names("nodone")).at(-1)).toBe("message_delta");
  expect(await names("truncate events=3")).toEqual([
    "message_start",
    "content_block_start",
    "ping",
  ]);
  expect(await names("truncate events=99")).not.toContain("message_delta");
});

test("nousage and lyingusage: usage is missing or impossible, at both ends of a stream", async () => {
  const without = await eventsOf(sandbox, say("Say hi [[fault:nousage]]"));
  const lying = await eventsOf(sandbox, say("Say hi [[fault:lyingusage kind=negative]]"));

  expect(JSON.stringify(without)).not.toContain('"usage"');
  expect(await messageTo(sandbox, say("Say hi [[fault:nousage]]"))).not.toHaveProperty("usage");
  expect(Number(at(lying[0]?.data, "message", "usage", "input_tokens"))).toBeLessThan(0);
  expect(at(lying.at(-2)?.data, "usage", "output_tokens")).toBe(-2);
});

test("dupusage: every event has the usage so far, and the second last is repeated", async () => {
  const events = await eventsOf(sandbox, say("Say one two [[fault:dupusage]]"));
  const counts = events.map(({ data }) => at(data, "usage", "output_tokens"));

  expect(counts).toEqual([undefined, 0, undefined, 1, 2, 2, 2, 2, undefined]);
});

test("finish: the finish reason is replaced", async () => {
  const events = await eventsOf(sandbox, say("Say hi [[fault:finish reason=compaction]]"));

  expect(at(events.at(-2)?.data, "delta", "stop_reason")).toBe("compaction");
});

test("bigevent and malformed: one event is huge, or is not JSON", async () => {
  const big = assembled(await eventsOf(sandbox, say("Say hi [[fault:bigevent mib=2]]")));
  const body = say("Say one two [[fault:malformed at=3]]", { stream: true });
  const broken = await (await postMessages(sandbox, body)).text();

  expect(textAt(big[0], "text").length).toBeGreaterThan(2 * 1_048_576);
  const bad = broken
    .split("\n")
    .filter((line) => line.startsWith("data: ") && parseJson(line.slice(6)) === undefined);
  expect(bad).toHaveLength(1);
});

test("endless: the stream continues until the client disconnects", async () => {
  const response = await postMessages(sandbox, say("Say hi [[fault:endless]]", { stream: true }));
  const reader = response.body?.getReader();
  let text = "";
  while (text.length < 20_000) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();

  expect(text).not.toContain("content_block_stop");
  expect(namedEvents(text.slice(0, text.lastIndexOf("\n\n"))).length).toBeGreaterThan(50);
});

test("endless: a complete response never ends either", async () => {
  const response = await postMessages(sandbox, say("Say hi [[fault:endless]]"));
  const reader = response.body?.getReader();
  let text = "";
  while (text.length < 5_000) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();

  expect(asObject(parseJson(`${text.trimEnd()}}`))).toMatchObject({ content: [{ text: "hi" }] });
});

test("toolquirks: tool calls have the form of servers that imitate the vendor", async () => {
  const streamed = async (style: string) => {
    const body = say(`Weather in Oslo and Rome [[fault:toolquirks style=${style}]]`, {
      tools: [FORECAST],
    });
    const events = await eventsOf(sandbox, body);
    return events.map(({ data }) => data);
  };
  const starts = (events: readonly JsonObject[]) =>
    events.filter((event) => event["type"] === "content_block_start");

  expect(
    starts(await streamed("emptyid")).map((event) => at(event, "content_block", "id")),
  ).toEqual(["", ""]);
  expect(at(starts(await streamed("nullid"))[0], "content_block", "id")).toBeNull();
  expect(at(starts(await streamed("nullarguments"))[0], "content_block", "input")).toBeNull();
  expect((await streamed("noindex")).some((event) => "index" in event)).toBe(false);
  expect(starts(await streamed("sameindex")).map((event) => event["index"])).toEqual([0, 0]);
  const whole = await streamed("whole");
  expect(at(starts(whole)[1], "content_block", "input")).toEqual({ city: "Rome" });
  expect(whole.some((event) => event["type"] === "content_block_delta")).toBe(false);
  expect(at((await streamed("stop")).at(-2), "delta", "stop_reason")).toBe("end_turn");
});

test("toolquirks: a style that this vendor's format cannot express is refused", async () => {
  const answer = await messageTo(sandbox, say("hi [[fault:toolquirks style=repeatname]]"));

  expect(at(answer, "error", "type")).toBe("sandbox");
  expect(textAt(answer, "error", "message")).toContain("no style repeatname");
});

test("a fault can be ordered for one key in the vendor's own header", async () => {
  sandbox.faults.add({
    name: "status",
    args: { code: "529" },
    times: "always",
    match: { key: "sk-bad" },
  });
  const status = async (key: string) =>
    (await postMessages(sandbox, say("hi"), { "x-api-key": key })).status;

  expect([await status("sk-good"), await status("sk-bad")]).toEqual([200, 529]);
  sandbox.faults.clear();
});

test("fault words are read in the user's text, not in a tool's result", async () => {
  const messages = [
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "[[fault:status code=500]]" },
      ],
    },
  ];

  expect((await postMessages(sandbox, say("", { messages, tools: [FORECAST] }))).status).toBe(200);
  const asked = { role: "user", content: "Weather? [[fault:status code=503]]" };
  const stillAsked = { messages: [asked, ...messages.slice(1)], tools: [FORECAST] };
  expect((await postMessages(sandbox, say("", stillAsked))).status).toBe(503);
  const parts = [
    { role: "user", content: [{ type: "text", text: "hi [[fault:status code=500]]" }] },
  ];
  expect((await postMessages(sandbox, say("", { messages: parts }))).status).toBe(500);
});
