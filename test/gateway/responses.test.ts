import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { UPSTREAMS, channelOf } from "#test/matrix/upstreams.ts";

interface Answer {
  id: string;
  status: string;
  output: { id: string; type: string; content?: { text: string }[] }[];
  previous_response_id: string | null;
}

const textIn = ({ output }: Answer): string =>
  output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join("");

describe.each(UPSTREAMS.map((upstream) => [upstream.id, upstream] as const))(
  "responses over an upstream of the style %s",
  (_id, upstream) => {
    let sandbox: Sandbox;
    let gateway: TestGateway;
    beforeAll(async () => {
      sandbox = await startSandbox();
      gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
    });
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
    });

    const ask = async (body: object): Promise<Answer> => {
      const answer = await gateway.post("/v1/responses", { model: upstream.model, ...body });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        "application/json",
      ]);
      return (await answer.json()) as Answer;
    };

    test("[A4.4] a response continues an earlier one with its conversation", async () => {
      const first = await ask({ input: "My name is Ada. Reply with exactly: noted" });
      const second = await ask({
        input: "Reply with exactly: and noted again",
        previous_response_id: first.id,
      });
      const third = await ask({ input: "Go on.", previous_response_id: second.id });

      expect(textIn(first)).toBe("noted");
      expect(textIn(second)).toBe("and noted again");
      expect(third.status).toBe("completed");
      const sent = JSON.stringify(sandbox.requests.at(-1)?.body);
      for (const said of ["My name is Ada", "noted", "and noted again", "Go on."]) {
        expect(sent).toContain(said);
      }
      expect(sent).not.toContain("previous_response_id");
    });

    test("a streamed response is stored as well", async () => {
      const streamed = await gateway.post("/v1/responses", {
        model: upstream.model,
        stream: true,
        input: "Reply with exactly: one",
      });
      const id = /"id":"(resp_[^"]+)"/.exec(await streamed.text())?.[1];

      const next = await ask({ input: "Reply with exactly: two", previous_response_id: id });

      expect(textIn(next)).toBe("two");
      expect(JSON.stringify(sandbox.requests.at(-1)?.body)).toContain("one");
    });

    test("an item of an earlier response may be named instead of repeated", async () => {
      const first = await ask({ input: "Reply with exactly: seven" });
      const item = first.output.find(({ type }) => type === "message")?.id;

      await ask({
        input: [
          { role: "user", content: "Say a number." },
          { type: "item_reference", id: item },
          { role: "user", content: "Thanks." },
        ],
      });

      expect(JSON.stringify(sandbox.requests.at(-1)?.body)).toContain("seven");
    });
  },
);

test("[A4.4] an item that is named many times exceeds the request's limit", async () => {
  await using sandbox = await startSandbox();
  const [upstream] = UPSTREAMS;
  if (upstream === undefined) throw new Error("There is no upstream.");
  await using gateway = await openTestGateway({
    yaml: channelOf(upstream, sandbox.url),
    env: { SLUICE_LIMIT_BODY_BYTES: "64KiB" },
  });
  const ask = (input: unknown): Promise<Response> =>
    gateway.post("/v1/responses", { model: upstream.model, input });
  const word = "x".repeat(4_000);
  const first = (await (await ask(`Reply with exactly: ${word}`)).json()) as Answer;
  const id = first.output.find(({ type }) => type === "message")?.id;
  const before = sandbox.requests.length;

  const answer = await ask(Array.from({ length: 50 }, () => ({ type: "item_reference", id })));

  expect([answer.status, await answer.json()]).toEqual([
    400,
    { error: expect.objectContaining({ code: "context_length_exceeded", param: "input" }) },
  ]);
  expect(sandbox.requests.length).toBe(before);
});

describe("a stored response", () => {
  let sandbox: Sandbox;
  let gateway: TestGateway;
  const [chat] = UPSTREAMS;
  beforeAll(async () => {
    sandbox = await startSandbox();
    if (chat === undefined) throw new Error("There is no upstream.");
    gateway = await openTestGateway({ yaml: channelOf(chat, sandbox.url) });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await sandbox.stop();
  });

  const create = async (more: object = {}): Promise<Answer> => {
    const body = { model: "gpt-4o-mini", input: "Reply with exactly: hello", ...more };
    return (await (await gateway.post("/v1/responses", body)).json()) as Answer;
  };
  const send = (method: string, path: string): Promise<Response> =>
    fetch(gateway.url + path, { method, headers: { authorization: `Bearer ${KEY}` } });

  test("is read as it was sent", async () => {
    const created = await create();

    const found = await send("GET", `/v1/responses/${created.id}`);

    expect(await found.json()).toEqual({ ...created, previous_response_id: null, store: true });
  });

  test("is deleted for good", async () => {
    const { id } = await create();

    expect(await (await send("DELETE", `/v1/responses/${id}`)).json()).toEqual({
      id,
      object: "response",
      deleted: true,
    });
    for (const method of ["GET", "DELETE"]) {
      expect((await send(method, `/v1/responses/${id}`)).status).toBe(404);
    }
    const answer = await gateway.post("/v1/responses", {
      model: "gpt-4o-mini",
      input: "hi",
      previous_response_id: id,
    });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { param: "previous_response_id" } });
  });

  test("does not exist if its client disabled storage", async () => {
    const { id } = await create({ store: false });

    expect((await send("GET", `/v1/responses/${id}`)).status).toBe(404);
  });

  test("counts as input of a request that continues it", async () => {
    const long = "The quick brown fox jumps over the lazy dog. ".repeat(50);
    const { id, output } = await create({ input: long });
    const count = async (question: object): Promise<number> => {
      const body = { model: "gpt-4o-mini", ...question };
      const answer = await gateway.post("/v1/responses/input_tokens", body);
      return ((await answer.json()) as { input_tokens: number }).input_tokens;
    };
    const next = { role: "user", content: "And?" };
    const asked = { role: "user", content: long };

    expect(await count({ input: "And?", previous_response_id: id })).toBe(
      await count({ input: [asked, ...output, next] }),
    );
    const unknown = await gateway.post("/v1/responses/input_tokens", {
      model: "gpt-4o-mini",
      input: "And?",
      previous_response_id: "resp_unknown",
    });
    expect(unknown.status).toBe(404);
  });

  test("has its input listed, newest first, page by page", async () => {
    const first = await create({ input: [{ role: "user", content: "one" }] });
    const { id } = await create({
      input: [{ role: "user", content: "two" }],
      previous_response_id: first.id,
    });

    const page = await send("GET", `/v1/responses/${id}/input_items?limit=2`);
    const {
      data,
      last_id: last,
      has_more: hasMore,
    } = (await page.json()) as {
      data: { content: unknown }[];
      last_id: string;
      has_more: boolean;
    };
    const rest = await send("GET", `/v1/responses/${id}/input_items?limit=2&after=${last}`);

    expect(data[0]).toMatchObject({ type: "message", role: "user", content: "two" });
    expect([data.length, hasMore]).toEqual([2, true]);
    expect(await rest.json()).toMatchObject({ data: [{ content: "one" }], has_more: false });
    expect((await send("GET", `/v1/responses/${id}/input_items?limit=0`)).status).toBe(400);
  });

  test("cannot be cancelled after its end", async () => {
    const { id } = await create();

    expect((await send("POST", `/v1/responses/${id}/cancel`)).status).toBe(400);
    expect((await send("POST", "/v1/responses/resp_unknown/cancel")).status).toBe(404);
  });
});

describe("[A4.4] truncation", () => {
  test("drops the oldest turns until the rest fits, if the client allows it", async () => {
    await using sandbox = await startSandbox();
    const [chat] = UPSTREAMS;
    if (chat === undefined) throw new Error("There is no upstream.");
    const models = "models:\n  gpt-4o-mini: { input: 1, output: 1, context: 1000 }";
    await using gateway = await openTestGateway({
      yaml: `${channelOf(chat, sandbox.url)}\n${models}`,
    });
    const input = [
      { role: "developer", content: "Always be brief." },
      ...Array.from({ length: 40 }, (_, at) => ({
        role: "user",
        content: `Turn ${at}: ${"words and more words ".repeat(10)}`,
      })),
      { role: "user", content: "Reply with exactly: fits" },
    ];

    const answer = await gateway.post("/v1/responses", {
      model: "gpt-4o-mini",
      truncation: "auto",
      input,
    });

    expect(textIn((await answer.json()) as Answer)).toBe("fits");
    const sent = JSON.stringify(sandbox.requests.at(-1)?.body);
    expect(sent).toContain("Always be brief.");
    expect(sent).toContain("Turn 39:");
    expect(sent).not.toContain("Turn 0:");
  });

  test("refuses an excessive conversation before an upstream call, if it is disabled", async () => {
    await using sandbox = await startSandbox();
    const [chat] = UPSTREAMS;
    if (chat === undefined) throw new Error("There is no upstream.");
    const models = "models:\n  gpt-4o-mini: { input: 1, output: 1, context: 1000 }";
    await using gateway = await openTestGateway({
      yaml: `${channelOf(chat, sandbox.url)}\n${models}`,
    });
    const ask = (words: number, truncation?: string): Promise<Response> =>
      gateway.post("/v1/responses", {
        model: "gpt-4o-mini",
        ...(truncation === undefined ? {} : { truncation }),
        input: "word ".repeat(words),
      });
    expect((await ask(600, "disabled")).status).toBe(200);
    const before = sandbox.requests.length;

    const refused = await ask(1_200, "disabled");

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: {
        code: "context_length_exceeded",
        param: "input",
        message: expect.stringContaining("maximum context length is 1000 tokens"),
      },
    });
    expect(sandbox.requests.length).toBe(before);
  });
});
