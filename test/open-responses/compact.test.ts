import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { asUser, bearer, openWithRoot, textIn } from "#test/accounts.ts";
import { json, openVendor } from "#test/adapter/vendor.ts";
import { openBooks } from "#test/books.ts";
import { openTestGateway, simulatedChannel } from "#test/harness.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { openSocket } from "./socket.ts";
import { openPlace, UPSTREAM_IDS, type Place } from "./upstreams.ts";

const said = (type: string, role: string, text: string): JsonObject => ({
  type: "message",
  role,
  content: [{ type, text }],
});
const CONVERSATION = [
  said("input_text", "user", "My name is Ada and the code word is slate."),
  said("output_text", "assistant", "OK."),
  said("input_text", "user", "What next?"),
];

function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

function itemsIn({ output }: JsonObject): readonly JsonObject[] {
  return isArray(output) ? output.filter((item: Json) => isObject(item)) : [];
}

describe.each(UPSTREAM_IDS)("a conversation is compacted over an upstream of '%s'", (id) => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace(id);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  async function compact(more: JsonObject = {}): Promise<JsonObject> {
    const body = { model: place.model, input: CONVERSATION, ...more };
    const reply = await place.gateway.post("/v1/responses/compact", body);
    const text = await reply.text();
    expect([reply.status, text]).toEqual([200, expect.any(String)]);
    return objectIn(text);
  }

  test("into the user's messages and one encrypted item, as a call that is charged once", async () => {
    using books = openBooks(place.gateway.dataDir);
    const before = books.calls().length;
    const compaction = await compact();
    const items = itemsIn(compaction);

    expect(compaction).toMatchObject({
      object: "response.compaction",
      id: expect.stringMatching(/^(resp|cmp)/),
      created_at: expect.any(Number),
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    expect(items.map(({ type }) => type)).toEqual(["message", "message", "compaction"]);
    expect(items.map(({ role }) => role)).toEqual(["user", "user", undefined]);
    expect(JSON.stringify(items.at(-1))).not.toContain("slate");
    expect(await books.whenSettled()).toEqual([]);
    expect(books.calls().slice(before)).toMatchObject([{ outcome: "completed" }]);
    expect(Number(books.calls().at(-1)?.["cost"])).toBeGreaterThan(0);
  });

  test("with which it continues, by HTTP and over a WebSocket, and is compacted again", async () => {
    const { output = [] } = await compact();
    const input = [...(isArray(output) ? output : []), said("input_text", "user", "Go on.")];
    const reply = await place.gateway.post("/v1/responses", { model: place.model, input });
    await using socket = await openSocket(place.gateway.url);
    const turn = await socket.create({ model: place.model, store: false, input });
    const again = itemsIn(await compact({ input }));

    expect([reply.status, objectIn(await reply.text())["status"]]).toEqual([200, "completed"]);
    expect(turn.response?.["status"]).toBe("completed");
    expect(again.filter(({ type }) => type === "compaction")).toHaveLength(1);
    expect(again.filter(({ role }) => role === "user")).toHaveLength(3);
  });

  test("with its tool calls, although no tools are declared", async () => {
    const input = [
      said("input_text", "user", "Weather?"),
      { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "Sunny." },
    ];

    expect(itemsIn(await compact({ input })).at(-1)).toMatchObject({ type: "compaction" });
  });
});

test("the upstream gets a summary as text", async () => {
  await using place = await openPlace("messages");
  const reply = await place.gateway.post("/v1/responses/compact", {
    model: place.model,
    input: CONVERSATION,
    instructions: "Be exact.",
  });
  const items = itemsIn(objectIn(await reply.text()));
  const asked = JSON.stringify(place.sandbox.requests.at(-1)?.body);
  await place.gateway.post("/v1/responses", { model: place.model, input: items.slice(-1) });
  const sent = JSON.stringify(place.sandbox.requests.at(-1)?.body);

  expect(asked).toContain("slate");
  expect(asked).toContain("Summarize the conversation");
  expect(sent).toContain("Summary of the conversation so far");
  expect(sent).not.toContain("sluice-summary");
});

test("a stored conversation is compacted by its id", async () => {
  await using place = await openPlace("chat");
  const stored = await place.gateway.post("/v1/responses", {
    model: place.model,
    input: "The code word is slate.",
  });
  const { id } = objectIn(await stored.text());
  const reply = await place.gateway.post("/v1/responses/compact", {
    model: place.model,
    previous_response_id: id,
  });

  expect(itemsIn(objectIn(await reply.text())).map(({ type }) => type)).toEqual([
    "message",
    "compaction",
  ]);
});

test("only its owner can use a summary, and only unchanged", async () => {
  await using sandbox = await startSandbox();
  await using opened = await openWithRoot({
    yaml: `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]\nstyle: chat")}`,
  });
  const keyOf = async (name: string): Promise<Record<string, string>> => {
    const ask = await asUser(opened.url, name);
    const { data } = await ask("POST", "/api/token", { name: "k" });
    return bearer(textIn(data, "key"));
  };
  const [ada, bob] = [await keyOf("ada"), await keyOf("bob")];
  const body = { model: "gpt-4o-mini", input: CONVERSATION };
  const compaction = await opened.post("/v1/responses/compact", body, ada);
  const sealed = itemsIn(objectIn(await compaction.text())).at(-1) ?? {};
  const changed = {
    ...sealed,
    encrypted_content: `${JSON.stringify(sealed["encrypted_content"]).slice(1, -1)}A`,
  };
  const statusOf = async (item: JsonObject, key: Record<string, string>): Promise<number> =>
    (await opened.post("/v1/responses", { ...body, input: [item] }, key)).status;

  expect([
    await statusOf(sealed, ada),
    await statusOf(sealed, bob),
    await statusOf(changed, ada),
  ]).toEqual([200, 400, 400]);
});

test("encrypted content of a vendor is refused for upstreams of other styles, with an explanation", async () => {
  for (const id of ["chat", "messages", "gemini", "an adapter"]) {
    await using place = await openPlace(id);
    const reply = await place.gateway.post("/v1/responses", {
      model: place.model,
      input: [{ type: "compaction", encrypted_content: "gAAAAB" }, ...CONVERSATION],
    });

    expect([id, reply.status, await reply.text()]).toEqual([
      id,
      400,
      expect.stringContaining("only the vendor that created the compaction"),
    ]);
  }
});

test("on a compatible server without the endpoint, its model writes the summary", async () => {
  await using vendor = openVendor(({ path }) =>
    path.endsWith("/compact")
      ? json({ error: { message: "Not found" } }, 404)
      : json({
          id: "resp_1",
          object: "response",
          created_at: 1,
          status: "completed",
          model: "m",
          output: [
            {
              id: "msg_1",
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "Ada, slate.", annotations: [] }],
            },
          ],
          usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
        }),
  );
  await using gateway = await openTestGateway({
    yaml: `channels:
  - { name: one, provider: openai, base_url: "${vendor.url}", style: responses, api_key: k, models: [m] }`,
  });
  const reply = await gateway.post("/v1/responses/compact", { model: "m", input: CONVERSATION });
  const items = itemsIn(objectIn(await reply.text()));

  expect(reply.status).toBe(200);
  expect(items.at(-1)?.["encrypted_content"]).toStartWith("sluice-summary.");
});
