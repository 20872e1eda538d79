import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, eventsIn } from "./testing/chat.ts";
import {
  WEATHER,
  answerTo,
  ask,
  chunksOf,
  partsOf,
  post,
  refusalOf,
  streamText,
  textOf,
  user,
} from "./testing/gemini.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const MODEL = "gemini-2.5-flash";

async function arrayText(prompt: string): Promise<string> {
  return (await post(sandbox, `models/${MODEL}:streamGenerateContent`, ask(prompt))).text();
}

test.each([
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [500, "INTERNAL"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
])("an ordered failure %d has the vendor's name", async (code, name) => {
  const body = ask(`hi [[fault:status code=${code}]]`);
  const response = await post(sandbox, `models/${MODEL}:generateContent`, body);

  const error = at(parseJson(await response.text()), "error");
  expect(response.status).toBe(code);
  expect(error).toMatchObject({ code, status: name });
});

test("an exhausted quota has details, and an ordered time to retry", async () => {
  const details = async (order: string) => {
    const body = ask(`hi [[fault:status code=429 ${order}]]`);
    const response = await post(sandbox, `models/${MODEL}:generateContent`, body);
    const list = at(parseJson(await response.text()), "error", "details");
    return JSON.parse(JSON.stringify(list)).map((each: Record<string, string>) => [
      each["@type"]?.split(".").at(-1),
      each["retryDelay"] ?? null,
    ]);
  };

  expect(await details("")).toEqual([["QuotaFailure", null]]);
  expect(await details("retry_after=7")).toEqual([
    ["QuotaFailure", null],
    ["RetryInfo", "7s"],
  ]);
});

test("fault words are read from the user's last text, with any messages after it", async () => {
  const turn = {
    role: "model",
    parts: [{ functionCall: { name: "get_weather", args: {} } }],
  };
  const result = {
    role: "user",
    parts: [{ functionResponse: { name: "get_weather", response: { output: "x" } } }],
  };
  const { contents } = ask("Weather? [[fault:status code=418 message=teapot]]");
  const body = { contents: [...(Array.isArray(contents) ? contents : []), turn, result] };

  expect(await refusalOf(await post(sandbox, `models/${MODEL}:generateContent`, body))).toBe(
    "418 INVALID_ARGUMENT teapot",
  );
});

test("the model's text orders nothing", async () => {
  const said = { role: "model", parts: [{ text: "[[fault:status code=500]]" }] };
  const body = { contents: [user("Say hi"), said] };

  expect(textOf(await answerTo(sandbox, MODEL, body))).toBe("hi");
});

test("faults can be ordered for a model, a key or a path, also without one in the body", async () => {
  const status = async (model: string, key: string) =>
    (await post(sandbox, `models/${model}:generateContent`, ask("Say hi"), { key })).status;
  sandbox.faults.add({ name: "status", args: { code: "503" }, match: { model: "gemini-2.5-pro" } });
  sandbox.faults.add({ name: "status", args: { code: "429" }, match: { key: "AIza-second" } });

  expect(await status(MODEL, "AIza-first")).toBe(200);
  expect(await status("gemini-2.5-pro", "AIza-first")).toBe(503);
  expect(await status(MODEL, "AIza-second")).toBe(429);
  expect(await status(MODEL, "AIza-second")).toBe(200);
});

test("an error is the last event of a stream, and the last element of an array", async () => {
  const prompt = "Count to 30 [[fault:streamerror after=2 message=lost]]";
  const events = eventsIn(await streamText(sandbox, MODEL, ask(prompt)));
  const array = parseJson(await arrayText(prompt));

  expect(events).toHaveLength(3);
  const error = { error: { code: 500, message: "lost", status: "INTERNAL" } };
  expect(parseJson(events.at(-1) ?? "")).toEqual(error);
  expect(at(array, 2)).toEqual(error);
  expect(at(array, 3)).toBeUndefined();
});

test("a cut stream has no finish reason, and a cut array no end", async () => {
  const prompt = "Count to 30 [[fault:truncate events=3]]";
  const chunks = await chunksOf(sandbox, MODEL, ask(prompt));
  const array = await arrayText(prompt);

  expect(chunks).toHaveLength(3);
  expect(chunks.some((chunk) => at(chunk, "candidates", 0, "finishReason") !== undefined)).toBe(
    false,
  );
  expect(parseJson(array)).toBeUndefined();
  expect(parseJson(`${array}]`)).toHaveLength(3);
});

test("an array can lack its closing bracket", async () => {
  const array = await arrayText("Count to 30 [[fault:nodone]]");

  expect(parseJson(array)).toBeUndefined();
  expect(textOf(...JSON.parse(`${array}]`))).toEndWith("29, 30");
});

test("one event can be malformed, and the framing unusual", async () => {
  const broken = eventsIn(
    await streamText(sandbox, MODEL, ask("Count to 30 [[fault:malformed kind=json at=1]]")),
  );
  const bare = await streamText(sandbox, MODEL, ask("Count to 9 [[fault:cr]] [[fault:nospace]]"));

  expect(broken.map((event) => parseJson(event) !== undefined).slice(0, 3)).toEqual([
    true,
    false,
    true,
  ]);
  expect(bare).not.toContain("\n");
  expect(bare).toStartWith('data:{"candidates"');
  expect(eventsIn(bare).length).toBeGreaterThan(2);
});

test("an error can have the status of success", async () => {
  const response = await post(
    sandbox,
    `models/${MODEL}:generateContent`,
    ask("hi [[fault:error200 message=oops]]"),
  );

  expect(await refusalOf(response)).toBe("200 INTERNAL oops");
});

test("usage can be missing, impossible, or zero", async () => {
  const usage = async (fault: string) =>
    (await answerTo(sandbox, MODEL, ask(`Say hi [[fault:${fault}]]`)))["usageMetadata"];
  const streamed = await chunksOf(sandbox, MODEL, ask("Count to 9 [[fault:nousage]]"));

  expect(await usage("nousage")).toBeUndefined();
  expect(streamed.some((chunk) => "usageMetadata" in chunk)).toBe(false);
  expect(at(await usage("lyingusage kind=string"), "totalTokenCount")).toBeString();
  expect(Number(at(await usage("lyingusage kind=negative"), "promptTokenCount"))).toBeLessThan(0);
});

test("another finish reason can be ordered, on every path", async () => {
  const prompt = "Say hi [[fault:finish reason=MALFORMED_FUNCTION_CALL]]";
  const whole = await answerTo(sandbox, MODEL, ask(prompt));
  const chunks = await chunksOf(sandbox, "gemini-3.5-flash", ask(prompt));

  const reason = (answer: unknown) =>
    at(asObject(parseJson(JSON.stringify(answer))), "candidates", 0, "finishReason");
  expect(reason(whole)).toBe("MALFORMED_FUNCTION_CALL");
  expect(reason(chunks.at(-1))).toBe("MALFORMED_FUNCTION_CALL");
});

test("calls can lack an id or arguments", async () => {
  const call = async (style: string) => {
    const body = ask(`Weather in Paris [[fault:toolquirks style=${style}]]`, { tools: [WEATHER] });
    return at(partsOf(await answerTo(sandbox, "gemini-3.5-flash", body))[0], "functionCall");
  };

  expect(at(await call("emptyid"), "id")).toBe("");
  expect(at(await call("nullid"), "id")).toBeNull();
  expect(at(await call("nullarguments"), "args")).toBeNull();
});

test("a response can be endless until the client disconnects", async () => {
  const gone = new AbortController();
  const response = await fetch(
    `${sandbox.url}/gemini/v1beta/models/${MODEL}:streamGenerateContent`,
    {
      method: "POST",
      headers: { "x-goog-api-key": "k" },
      body: JSON.stringify(ask("Say hi [[fault:endless]]")),
      signal: gone.signal,
    },
  );
  let length = 0;
  const reading = (async () => {
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > 50_000) gone.abort();
    }
  })();
  await reading.catch(() => undefined);

  const record = sandbox.requests.at(-1);
  for (let tries = 0; record?.state === "open" && tries < 100; tries++) await Bun.sleep(5);
  expect(length).toBeGreaterThan(50_000);
  expect(record?.state).toBe("aborted");
});

test("one event can be huge, and is complete in both forms of a response", async () => {
  const prompt = "Say hi [[fault:bigevent mib=1]]";
  const whole = textOf(await answerTo(sandbox, MODEL, ask(prompt)));
  const streamed = textOf(...(await chunksOf(sandbox, MODEL, ask(prompt))));

  expect(whole.length).toBeGreaterThan(1_000_000);
  expect(streamed).toBe(whole);
});
