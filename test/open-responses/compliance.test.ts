import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { textOf } from "#lib/values.ts";
import { responseIn, responseObjectFaults } from "#test/grammar/response-object.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { openSocket, textOfResponse, type Turn } from "./socket.ts";
import { openPlace, UPSTREAM_IDS, type Place } from "./upstreams.ts";

/** The events of Open Responses. A stream with any other fails there. */
const EVENTS = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "response.completed",
  "response.failed",
  "response.incomplete",
  "response.output_item.added",
  "response.output_item.done",
  "response.content_part.added",
  "response.content_part.done",
  "response.output_text.delta",
  "response.output_text.done",
  "response.output_text.annotation.added",
  "response.refusal.delta",
  "response.refusal.done",
  "response.function_call_arguments.delta",
  "response.function_call_arguments.done",
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_part.done",
  "response.reasoning_text.delta",
  "response.reasoning_text.done",
  "response.reasoning_summary_text.delta",
  "response.reasoning_summary_text.done",
  "error",
]);

const WEATHER = {
  type: "function",
  name: "get_weather",
  description: "Get the current weather for a location",
  parameters: {
    type: "object",
    properties: { location: { type: "string", description: "The city" } },
    required: ["location"],
  },
};

const user = (content: string): JsonObject => ({ type: "message", role: "user", content });

describe.each(UPSTREAM_IDS)("Open Responses, over an upstream of the style '%s'", (id) => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace(id);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  async function post(body: JsonObject): Promise<JsonObject> {
    const reply = await place.gateway.post("/v1/responses", {
      model: place.model,
      stream: false,
      ...body,
    });
    const json = parseJson(await reply.text());
    expect([reply.status, isObject(json)]).toEqual([200, true]);
    return isObject(json) ? json : {};
  }

  const asked: readonly [string, JsonObject][] = [
    ["a message", { input: [user("Say hello in exactly 3 words.")] }],
    [
      "a system message",
      { input: [{ type: "message", role: "system", content: "Be a pirate." }, user("Hello.")] },
    ],
    [
      "a picture",
      {
        input: [
          {
            type: "message",
            role: "user",
            content: [
              { type: "input_text", text: "What is this?" },
              { type: "input_image", image_url: pngUrl(8, 8) },
            ],
          },
        ],
      },
    ],
    [
      "several turns",
      {
        input: [
          user("My name is Alice."),
          { type: "message", role: "assistant", content: "Hello Alice!" },
          user("What is my name?"),
        ],
      },
    ],
  ];
  test.each(asked)("%s gets a complete response object", async (_, body) => {
    const response = await post(body);

    expect(responseObjectFaults(response)).toEqual([]);
    expect(response["status"]).toBe("completed");
    expect(isArray(response["output"]) && response["output"].length > 0).toBe(true);
  });

  test("a tool is called, and the response repeats its declaration", async () => {
    const response = await post({ input: [user("Weather in Paris?")], tools: [WEATHER] });

    expect(responseObjectFaults(response)).toEqual([]);
    expect(response["output"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "function_call" })]),
    );
    expect(response["tools"]).toMatchObject([{ ...WEATHER }]);
  });

  test("a stream has only events of Open Responses, each response object complete", async () => {
    const reply = await place.gateway.post("/v1/responses", {
      model: place.model,
      stream: true,
      input: [user("Count from 1 to 5.")],
    });
    const frames = readEvents(await reply.text()).map(({ data }) => data);
    // What the vendor of the style sends itself passes as it came, without an end mark.
    if (id !== "responses") expect(frames.pop()).toBe("[DONE]");
    const events = frames.map((data) => objectIn(parseJson(data) ?? null));

    expect(strangeIn(events)).toEqual([]);
    expect(events.at(-1)?.["type"]).toBe("response.completed");
  });

  test("a response over a WebSocket has the same events", async () => {
    await using socket = await openSocket(place.gateway.url);
    const turn = await socket.create({ model: place.model, input: [user("Count from 1 to 3.")] });

    expect(faultsOf(turn)).toEqual([]);
  });

  test("several responses follow one another on one connection", async () => {
    await using socket = await openSocket(place.gateway.url);
    for (const word of ["first", "second"]) {
      const input = `Reply with exactly: ${word}`;
      const turn = await socket.create({ model: place.model, store: false, input });

      expect(faultsOf(turn)).toEqual([]);
      expect(textOfResponse(turn.response)).toContain(word);
    }
  });

  test("a response that is not stored is continued on the same connection only", async () => {
    const first = { model: place.model, store: false, input: "Remember the code word: cobalt." };
    const next = { model: place.model, store: false, input: "What is the code word?" };
    await using socket = await openSocket(place.gateway.url);
    const { response } = await socket.create(first);
    const previous_response_id = response?.["id"] ?? null;
    const gone = await socket.create({ ...next, previous_response_id });
    await using other = await openSocket(place.gateway.url);
    const missed = await other.create({ ...next, previous_response_id });
    const anew = await other.create(first);

    expect(faultsOf(gone)).toEqual([]);
    expect(place.sandbox.requests.map(({ body }) => JSON.stringify(body)).join()).toContain(
      "What is the code word?",
    );
    expect(missed.error?.["code"]).toBe("previous_response_not_found");
    expect(faultsOf(anew)).toEqual([]);
  });

  test("a conversation that could not be continued is dropped", async () => {
    await using socket = await openSocket(place.gateway.url);
    const common = { model: place.model, store: false };
    const { response } = await socket.create({ ...common, input: "Remember: ember." });
    const previous_response_id = response?.["id"] ?? null;
    const failed = await socket.create({
      ...common,
      previous_response_id,
      input: [{ type: "function_call_output", call_id: "call_missing", output: "x" }],
    });
    const again = await socket.create({ ...common, previous_response_id, input: "Go on." });

    expect(failed.error?.["message"]).toContain("No tool call found");
    expect(again.error?.["code"]).toBe("previous_response_not_found");
  });
});

function objectIn(value: Json): JsonObject {
  return isObject(value) ? value : {};
}

function strangeIn(events: readonly JsonObject[]): readonly string[] {
  const strange = events.map(({ type }) => textOf(type) ?? "").filter((type) => !EVENTS.has(type));
  const faults = events
    .filter((event) => isObject(event["response"]))
    .flatMap((event) => responseObjectFaults(responseIn(event)));
  return [...strange, ...faults];
}

/** What is wrong with a turn that is to be completed. */
function faultsOf({ events, response }: Turn): readonly string[] {
  const numbers = events.map(({ sequence_number: number }) => number);
  const isInOrder = numbers.every((number, at) => number === at);
  return [
    ...strangeIn(events),
    ...(isInOrder ? [] : ["the numbers of the events are out of order"]),
    ...(response?.["status"] === "completed" ? [] : ["it did not complete"]),
    ...(isArray(response?.["output"]) && response["output"].length > 0 ? [] : ["no output"]),
  ];
}
