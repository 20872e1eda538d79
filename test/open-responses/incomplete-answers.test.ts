import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { json, openVendor, stream, type Vendor } from "#test/adapter/vendor.ts";
import { responseIn, responseObjectFaults } from "#test/grammar/response-object.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

const ITEM = {
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: "pong", annotations: [] }],
};
/** As compatible servers answer: with what they need to, and a null for what they do not know. */
const BARE = {
  id: "resp_1",
  object: "response",
  created_at: 1_790_000_000,
  status: "completed",
  model: "m",
  output: [ITEM],
  temperature: null,
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};
const ASKED = {
  model: "m",
  input: "ping",
  instructions: "Be short.",
  max_output_tokens: 50,
  presence_penalty: 0.5,
  tools: [{ type: "function", name: "look" }],
  metadata: { run: "7" },
  user: "u-1",
};

let vendor: Vendor;
let gateway: TestGateway;
let answer: JsonObject;

beforeAll(async () => {
  vendor = openVendor(({ body }) => {
    if (body["stream"] !== true) return json(answer);
    const begun = { ...answer, status: "in_progress", output: [], usage: null };
    const events = [
      { type: "response.created", response: begun },
      { type: "response.in_progress", response: begun },
      { type: "response.output_item.done", output_index: 0, item: ITEM },
      { type: "response.completed", response: answer },
    ];
    return stream(
      events.map((event, at) => Buffer.from(eventOf({ ...event, sequence_number: at }))),
    );
  });
  gateway = await openTestGateway({
    yaml: `channels:
  - { name: one, provider: openai, base_url: "${vendor.url}", style: responses, api_key: k, models: [m] }`,
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

function eventOf(event: JsonObject & { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function ask(more: object = {}): Promise<string> {
  const reply = await gateway.post("/v1/responses", { ...ASKED, store: false, ...more });
  expect(reply.status).toBe(200);
  return await reply.text();
}

function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

describe("a server of the same style that omits members of its response object", () => {
  test("has its response completed from the request", async () => {
    answer = BARE;
    const response = objectIn(await ask());

    expect(responseObjectFaults(response)).toEqual([]);
    expect(response).toMatchObject({
      instructions: "Be short.",
      max_output_tokens: 50,
      presence_penalty: 0.5,
      frequency_penalty: 0,
      temperature: 1,
      metadata: { run: "7" },
      user: "u-1",
      tools: [{ type: "function", name: "look" }],
      output: [ITEM],
    });
  });

  test("has the response completed in each event that contains one", async () => {
    answer = BARE;
    const events = readEvents(await ask({ stream: true })).map(({ data }) => objectIn(data));
    const responses = events.map(responseIn).filter(({ id }) => id !== undefined);

    expect(responses.map((response) => responseObjectFaults(response))).toEqual([[], [], []]);
    expect(responses.map(({ instructions }) => instructions)).toEqual(
      Array.from(responses, () => "Be short."),
    );
    expect(events.map(({ sequence_number: at }) => at)).toEqual([0, 1, 2, 3]);
  });

  test("a complete response passes byte for byte", async () => {
    answer = BARE;
    const complete = { ...objectIn(await ask()), vendor_member: 1 };
    answer = complete;

    expect(await ask()).toBe(JSON.stringify(complete));
    const streamed = readEvents(await ask({ stream: true }));
    expect(streamed.at(-1)?.data).toContain(`"response":${JSON.stringify(complete)}`);
  });
});
