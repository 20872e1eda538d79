import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson } from "../json.ts";
import { startSandbox, type Sandbox } from "../server.ts";
import {
  COUNTED,
  ask,
  at,
  eventsIn,
  post,
  rawExchange,
  streamText,
  textIn,
} from "../testing/chat.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

test("truncate: the stream ends regularly, without a finish reason and without [DONE]", async () => {
  const events = eventsIn(await streamText(sandbox, "Count to 90 [[fault:truncate events=5]]"));

  expect(events).toHaveLength(5);
  expect(events.join()).not.toContain('"finish_reason":"');
  expect(sandbox.requests.at(-1)?.state).toBe("finished");
});

test("truncate: a stream shorter than ordered ends before its finish reason, too", async () => {
  const text = await streamText(sandbox, "Say hi [[fault:truncate events=1000]]");

  expect(textIn(text)).toBe("hi");
  expect(text).not.toContain('"finish_reason":"');
});

test("truncate: half of a complete response is sent", async () => {
  const text = await (await post(sandbox, ask("Say hi [[fault:truncate]]"))).text();

  expect(text).toStartWith('{"id":"chatcmpl-');
  expect(parseJson(text)).toBeUndefined();
});

test("nodone: the stream is complete except for its end mark", async () => {
  const events = eventsIn(await streamText(sandbox, "Say hi [[fault:nodone]]"));

  expect(at(parseJson(events.at(-2) ?? ""), "choices", 0, "finish_reason")).toBe("stop");
  expect(at(parseJson(events.at(-1) ?? ""), "usage", "completion_tokens")).toBe(1);
});

test("streamerror: an error event is the last one, or the last before [DONE]", async () => {
  const plain = eventsIn(await streamText(sandbox, "Count to 90 [[fault:streamerror after=3]]"));
  const ended = eventsIn(
    await streamText(sandbox, "Count to 90 [[fault:streamerror after=3 done=1 error=overloaded]]"),
  );

  expect(plain).toHaveLength(4);
  expect(parseJson(plain.at(-1) ?? "")).toMatchObject({
    error: { type: "server_error", code: null },
  });
  expect(at(parseJson(ended.at(-2) ?? ""), "error", "code")).toBe("overloaded");
  expect(ended.at(-1)).toBe("[DONE]");
});

test("malformed: one event is malformed, and the others are not", async () => {
  const whole = eventsIn(await streamText(sandbox, "Count to 9"));
  const broken = async (kind: string) =>
    eventsIn(await streamText(sandbox, `Count to 9 [[fault:malformed kind=${kind} at=3]]`));
  const unreadable = (events: readonly string[]) =>
    events.flatMap((data, index) =>
      data === "[DONE]" || parseJson(data) !== undefined ? [] : [index],
    );

  const json = await broken("json");
  expect([json.length, unreadable(json)]).toEqual([whole.length, [3]]);
  const nul = await broken("nul");
  expect([nul.length, unreadable(nul), nul[3]?.includes("\0")]).toEqual([whole.length, [3], true]);
  const joined = await broken("blankline");
  expect([joined.length, unreadable(joined), joined[3]?.split("\n").length]).toEqual([
    whole.length - 1,
    [3],
    2,
  ]);
  const odd = await broken("field");
  expect([odd.length, odd[3]?.endsWith("\n")]).toEqual([whole.length, true]);
});

test("malformed: a complete response is not JSON", async () => {
  const texts = await Promise.all(
    ["json", "nul"].map(async (kind) =>
      (await post(sandbox, ask(`Say hi [[fault:malformed kind=${kind}]]`))).text(),
    ),
  );

  expect(texts.map(parseJson)).toEqual([undefined, undefined]);
});

test.each(["crlf", "cr", "bom", "nospace", "comments"])(
  "%s: an unusual framing has the same content",
  async (fault) => {
    const usual = await streamText(sandbox, "Say schöne Grüße 👋");
    const text = await streamText(sandbox, `Say schöne Grüße 👋 [[fault:${fault}]]`);
    const again = await post(sandbox, ask(`Say schöne Grüße 👋 [[fault:${fault}]]`, COUNTED));
    const bytes = Buffer.from(await again.arrayBuffer());

    const sign =
      {
        crlf: "\r\n\r\ndata: ",
        cr: "\r\rdata: ",
        bom: "\uFEFFdata: ",
        nospace: '\ndata:{"id',
        comments: "\n: PING\n\n",
      }[fault] ?? "";
    expect(bytes.toString("utf8")).toContain(sign);
    expect(textIn(text)).toBe("schöne Grüße 👋");
    expect(eventsIn(text)).toHaveLength(eventsIn(usual).length);
  },
);

test.each([1, 7])("split: the bytes arrive %d at a time, also within characters", async (size) => {
  const response = await post(
    sandbox,
    ask(`Say schöne Grüße 👋 你好 [[fault:split size=${size}]]`, COUNTED),
  );
  const raw = await rawExchange(
    sandbox,
    ask(`Say schöne Grüße 👋 你好 [[fault:split size=${size}]]`, COUNTED),
  );

  expect(textIn(await response.text())).toBe("schöne Grüße 👋 你好");
  const sizes = [...raw.received.toString("latin1").matchAll(/\r\n([\da-f]+)\r\n/g)].map(
    ([, hex = ""]) => Number.parseInt(hex, 16),
  );
  expect(Math.max(...sizes)).toBe(size);
});
