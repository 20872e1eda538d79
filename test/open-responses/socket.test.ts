import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import type { JsonObject } from "#lib/json.ts";
import { asUser, bearer, openWithRoot, textIn } from "#test/accounts.ts";
import { openBooks, type Books } from "#test/books.ts";
import { KEY, openSimulated, simulatedChannel } from "#test/harness.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { waitFor } from "#test/wait.ts";
import { openSocket, textOfResponse } from "./socket.ts";

const MODEL = "gpt-4o-mini";
const ENDLESS = {
  model: MODEL,
  input: "go on [[fault:endless]] [[fault:slow between_ms=2]]",
  max_output_tokens: 100_000,
};
const SLOW = { model: MODEL, input: "Say one [[fault:slow first_ms=400]]" };

let gateway: Awaited<ReturnType<typeof openSimulated>>;
let books: Books;

beforeAll(async () => {
  gateway = await openSimulated({ channel: `models: [${MODEL}]\nstyle: chat` });
  books = openBooks(gateway.dataDir);
});

afterAll(async () => {
  books.close();
  await gateway[Symbol.asyncDispose]();
});

describe("each response over a WebSocket is a separate call", () => {
  test("with a row in the journal, its price, and no remaining reservation", async () => {
    const before = books.calls().length;
    await using socket = await openSocket(gateway.url);
    for (const input of ["one", "two"]) await socket.create({ model: MODEL, input });

    expect(await books.whenSettled()).toEqual([]);
    const calls = books.calls().slice(before);
    expect(calls.map(({ style, outcome, is_stream }) => [style, outcome, is_stream])).toEqual([
      ["responses", "completed", 1],
      ["responses", "completed", 1],
    ]);
    expect(calls.every(({ cost }) => Number(cost) > 0)).toBe(true);
  });

  test("that ends if its client disconnects, and is charged for the delivered part", async () => {
    const before = books.calls().length;
    const socket = await openSocket(gateway.url);
    socket.send({ type: "response.create", ...ENDLESS });
    await socket.next(({ type }) => type === "response.output_text.delta");
    await socket[Symbol.asyncDispose]();

    await waitFor(() => books.calls().length > before);
    expect(await books.whenSettled()).toEqual([]);
    expect(books.calls().at(-1)).toMatchObject({ outcome: "canceled", style: "responses" });
  });

  test("that fails without ending the connection", async () => {
    await using socket = await openSocket(gateway.url);
    const failed = await socket.create({ model: "no-such-model", input: "Hi" });
    const next = await socket.create({ model: MODEL, input: "Reply with exactly: fine" });

    expect(failed.events).toMatchObject([
      { type: "error", status: 404, error: { code: "model_not_found" } },
    ]);
    expect(textOfResponse(next.response)).toContain("fine");
  });
});

describe("a response that is only prepared", () => {
  test("makes no model call, costs nothing, and is continued", async () => {
    const asked = gateway.sandbox.requests.length;
    const calls = books.calls().length;
    await using socket = await openSocket(gateway.url);
    const prepared = await socket.create({
      model: MODEL,
      store: false,
      generate: false,
      input: "My name is Ada.",
    });
    const types = prepared.events.map(({ type }) => type);

    expect(types).toEqual(["response.created", "response.in_progress", "response.completed"]);
    expect(prepared.response).toMatchObject({ status: "completed", output: [] });
    expect([gateway.sandbox.requests.length, books.calls().length]).toEqual([asked, calls]);

    await socket.create({
      model: MODEL,
      store: false,
      generate: true,
      previous_response_id: prepared.response?.["id"] ?? null,
      input: "What is my name?",
    });
    const sent = JSON.stringify(gateway.sandbox.requests.at(-1)?.body);
    expect(sent).toContain("My name is Ada.");
    expect(sent).not.toContain("generate");
  });

  test("needs no input, but a served model", async () => {
    await using socket = await openSocket(gateway.url);
    const empty = await socket.create({ model: MODEL, generate: false, input: [] });
    const unknown = await socket.create({ model: "no-such-model", generate: false, input: [] });

    expect(empty.response).toMatchObject({ status: "completed" });
    expect(unknown.error).toMatchObject({ code: "model_not_found" });
  });
});

describe("lanes", () => {
  test("run in parallel, and each in its own order", async () => {
    await using socket = await openSocket(gateway.url);
    socket.send({ type: "response.create", stream_id: "slow", ...SLOW });
    const quick = await socket.create({ model: MODEL, input: "two", stream_id: "quick" });
    const isSlowOver = socket.messages.some(
      ({ type, stream_id }) => type === "response.completed" && stream_id === "slow",
    );

    expect([quick.response?.["status"], isSlowOver]).toEqual(["completed", false]);
    expect(quick.events.every(({ stream_id }) => stream_id === "quick")).toBe(true);
    await socket.next(
      ({ type, stream_id }) => type === "response.completed" && stream_id === "slow",
    );
  });

  test("are separate: without one, a response waits for the one before it", async () => {
    await using socket = await openSocket(gateway.url);
    socket.send({ type: "response.create", ...SLOW });
    socket.send({ type: "response.create", model: MODEL, input: "two" });
    const isEnd = ({ type }: JsonObject): boolean => type === "response.completed";
    await socket.next(isEnd);
    await socket.next(isEnd);
    const types = socket.messages.map(({ type }) => type);

    expect(types.lastIndexOf("response.created")).toBeGreaterThan(
      types.indexOf("response.completed"),
    );
  });
});

describe("an invalid message is refused with an explanation, and the connection stays", () => {
  test.each<[string, JsonObject | string, JsonObject]>([
    ["no JSON", "{", { type: "error", status: 400 }],
    ["a list", "[]", { type: "error", status: 400 }],
    ["another event", { type: "response.other" }, { type: "error", status: 400 }],
    [
      "work in the background",
      { type: "response.create", model: MODEL, input: "x", background: true },
      { type: "error", status: 400 },
    ],
    [
      "a lane without a name",
      { type: "response.create", model: MODEL, input: "x", stream_id: "" },
      { type: "error", status: 400 },
    ],
    [
      "steering",
      { type: "response.steer", previous_response_id: "resp_1", input: "left" },
      {
        type: "response.steer.failed",
        error: { code: "steering_not_supported" },
        steer: { previous_response_id: "resp_1", input: "left" },
      },
    ],
  ])("%s", async (_, message, answer) => {
    await using socket = await openSocket(gateway.url);
    socket.send(message);
    const told = await socket.next(() => true);
    const next = await socket.create({ model: MODEL, input: "Hi" });

    expect(told).toMatchObject(answer);
    expect(next.response?.["status"]).toBe("completed");
  });
});

test("a stored response is continued on another connection, although only the first one had its beginning", async () => {
  const first = await openSocket(gateway.url);
  const unstored = await first.create({ model: MODEL, store: false, input: "My name is Ada." });
  const stored = await first.create({
    model: MODEL,
    input: "I live in Rome.",
    previous_response_id: unstored.response?.["id"] ?? null,
  });
  await first[Symbol.asyncDispose]();
  await using second = await openSocket(gateway.url);
  const last = await second.create({
    model: MODEL,
    input: "Where do I live?",
    previous_response_id: stored.response?.["id"] ?? null,
  });
  const sent = JSON.stringify(gateway.sandbox.requests.at(-1)?.body);

  expect(last.response?.["status"]).toBe("completed");
  expect(sent).toContain("My name is Ada.");
  expect(sent).toContain("I live in Rome.");
});

test("the official client speaks with it", async () => {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${gateway.url}/v1` });
  const socket = new ResponsesWS(client);
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.on("response.output_text.delta", ({ delta }) => said.push(delta));
    socket.on("response.completed", () => resolve());
    socket.on("error", (error) => reject(new Error("The client failed.", { cause: error })));
    socket.send({ type: "response.create", model: MODEL, input: "Reply with exactly: hello" });
  });
  socket.close();

  expect(said.join("")).toContain("hello");
});

test("a WebSocket without a key is refused, and a GET gets an explanation", async () => {
  const upgrade = { connection: "Upgrade", upgrade: "websocket", authorization: "Bearer wrong" };
  const refused = await gateway.get("/v1/responses", upgrade);
  const plain = await gateway.get("/v1/responses");

  expect([refused.status, plain.status, plain.headers.get("allow")]).toEqual([401, 405, "POST"]);
});

describe("a WebSocket is limited", () => {
  async function openWith(env: Readonly<Record<string, string>>) {
    return await openSimulated({ channel: `models: [${MODEL}]\nstyle: chat`, env });
  }

  test("in the number for a key", async () => {
    await using own = await openWith({ SLUICE_LIMIT_KEY_SOCKETS: "1" });
    const first = await openSocket(own.url);
    expect(openSocket(own.url)).rejects.toThrow("refused");
    await first[Symbol.asyncDispose]();

    await waitFor(async () => {
      const again = await openSocket(own.url).catch(() => undefined);
      await again?.[Symbol.asyncDispose]();
      return again !== undefined;
    });
  });

  test("in the size of a message", async () => {
    await using own = await openWith({ SLUICE_LIMIT_BODY_BYTES: "4KiB" });
    await using socket = await openSocket(own.url);
    socket.send({ type: "response.create", model: MODEL, input: "x".repeat(8_192) });

    await waitFor(() => socket.closed !== undefined);
  });

  test("in its idle time", async () => {
    await using own = await openWith({ SLUICE_LIMIT_SOCKET_IDLE_MS: "300ms" });
    await using socket = await openSocket(own.url);

    await waitFor(() => socket.closed !== undefined);
    expect(socket.closed).toEqual({ code: 1000 });
  });

  test("in its age, which its client can read", async () => {
    await using own = await openWith({ SLUICE_LIMIT_SOCKET_MS: "300ms" });
    await using socket = await openSocket(own.url);

    await waitFor(() => socket.closed !== undefined);
    expect(socket.messages).toMatchObject([
      { type: "error", error: { code: "websocket_connection_limit_reached" } },
    ]);
  });

  test("in the number of concurrent responses", async () => {
    await using own = await openWith({ SLUICE_LIMIT_SOCKET_LANES: "1" });
    await using socket = await openSocket(own.url);
    socket.send({ type: "response.create", stream_id: "a", ...SLOW });
    await socket.create({ model: MODEL, input: "two", stream_id: "b" });

    const ends = socket.messages.filter(({ type }) => type === "response.completed");
    expect(ends.map(({ stream_id }) => stream_id)).toEqual(["a", "b"]);
  });

  test("in the stored size of its conversations", async () => {
    await using own = await openWith({ SLUICE_LIMIT_SOCKET_STATE_BYTES: "8KiB" });
    await using socket = await openSocket(own.url);
    const common = { model: MODEL, store: false };
    const first = await socket.create({ ...common, input: "a".repeat(3_000) });
    const second = await socket.create({ ...common, input: "b".repeat(3_000) });
    const goOn = (id: unknown) =>
      socket.create({ ...common, previous_response_id: String(id), input: "Go on." });

    expect((await goOn(second.response?.["id"])).response?.["status"]).toBe("completed");
    expect((await goOn(first.response?.["id"])).error?.["code"]).toBe(
      "previous_response_not_found",
    );
  });
});

test("a disabled key ends its WebSockets, idle or not", async () => {
  await using sandbox = await startSandbox();
  await using opened = await openWithRoot({
    yaml: `channels:\n${simulatedChannel("sim", sandbox.url, `models: [${MODEL}]`)}`,
  });
  const ask = await asUser(opened.url, "ada");
  const { data } = await ask("POST", "/api/token", { name: "taken" });
  const headers = bearer(textIn(data, "key"));
  await using idle = await openSocket(opened.url, headers);
  await using busy = await openSocket(opened.url, headers);
  busy.send({ type: "response.create", ...ENDLESS });
  await busy.next(({ type }) => type === "response.output_text.delta");
  await ask("PUT", `/api/token/${Number(data["id"])}`, { status: 2 });

  await waitFor(() => idle.closed !== undefined && busy.closed !== undefined);
  expect([idle.closed, busy.closed]).toEqual([{ code: 1008 }, { code: 1008 }]);
  expect(busy.messages.map(({ type }) => type)).toContain("response.failed");
});

test("a stopping gateway completes the running response", async () => {
  const own = await openSimulated({ channel: `models: [${MODEL}]\nstyle: chat` });
  const socket = await openSocket(own.url);
  const running = socket.create(SLOW);
  await waitFor(() => own.sandbox.requests.length > 0);
  const stopping = own[Symbol.asyncDispose]();

  expect((await running).response?.["status"]).toBe("completed");
  await waitFor(() => socket.closed !== undefined);
  await stopping;
  expect(socket.closed).toEqual({ code: 1001 });
});
