import { afterAll, beforeAll, expect, test } from "bun:test";
import { isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import {
  assembled,
  blocksOf,
  eventsOf,
  messageTo,
  postMessages,
  say,
  SEARCH,
} from "./testing/messages.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const question = "Search the web for tides";

async function blocks(body: JsonObject): Promise<readonly JsonObject[]> {
  return blocksOf(await messageTo(sandbox, body)).filter(isJsonObject);
}

function kinds(list: readonly JsonObject[]): readonly string[] {
  return list.map((block) => textAt(block, "type"));
}

test("a search runs at the vendor, and the response quotes the results", async () => {
  const answer = await messageTo(sandbox, say(question, { tools: [SEARCH] }));
  const found = blocksOf(answer).filter(isJsonObject);

  expect(kinds(found).slice(0, 4)).toEqual([
    "server_tool_use",
    "web_search_tool_result",
    "text",
    "text",
  ]);
  expect(found[0]).toMatchObject({ name: "web_search", input: { query: "tides" } });
  expect(at(found[1], "tool_use_id")).toBe(at(found[0], "id") ?? null);
  const [result] = blocksOf({ content: at(found[1], "content") ?? null });
  const [cited] = blocksOf({ content: at(found[3], "citations") ?? null });
  expect(at(cited, "url")).toBe(at(result, "url") ?? null);
  expect(at(cited, "cited_text")).toBe(at(found[3], "text") ?? null);
  expect(answer).toMatchObject({
    stop_reason: "end_turn",
    usage: { server_tool_use: { web_search_requests: 1 } },
  });
});

test("search results are streamed as a whole, and citations come before their text", async () => {
  const body = say(question, { tools: [SEARCH] });
  const events = await eventsOf(sandbox, body);
  const result = events.findIndex(
    ({ data }) => at(data, "content_block", "type") === "web_search_tool_result",
  );

  expect(events[result + 1]?.name).toBe("content_block_stop");
  const first = events.findIndex(({ data }) => at(data, "delta", "type") === "citations_delta");
  expect(at(events[first - 1]?.data, "content_block")).toEqual({
    citations: [],
    type: "text",
    text: "",
  });
  expect(at(events[first + 1]?.data, "delta", "type")).toBe("text_delta");
  expect(kinds(assembled(events))).toEqual(kinds(await blocks(body)));
  expect(at(events.at(-2)?.data, "usage", "server_tool_use", "web_search_requests")).toBe(1);
});

test("search results count as input tokens of the model", async () => {
  const events = await eventsOf(sandbox, say(question, { tools: [SEARCH] }));
  const before = Number(at(events[0]?.data, "message", "usage", "input_tokens"));

  expect(Number(at(events.at(-2)?.data, "usage", "input_tokens"))).toBeGreaterThan(before);
});

test("a search is limited to the allowed domains", async () => {
  const hosts = async (limits: JsonObject) => {
    const found = await blocks(say(question, { tools: [{ ...SEARCH, ...limits }] }));
    const list = blocksOf({ content: at(found[1], "content") ?? null });
    return list.map((each) => new URL(textAt(each, "url")).hostname);
  };

  expect(await hosts({ allowed_domains: ["tides.test", "sea.test"] })).toEqual([
    "tides.test",
    "sea.test",
  ]);
  expect(await hosts({})).toContain("news.example");
  expect(await hosts({ blocked_domains: ["news.example"] })).not.toContain("news.example");
});

test("a search above the limit fails within the response", async () => {
  const body = say('Search the web for "tides" and "moons"', {
    tools: [{ ...SEARCH, max_uses: 1 }],
  });
  const answer = await messageTo(sandbox, body);
  const results = blocksOf(answer).filter(
    (block) => at(block, "type") === "web_search_tool_result",
  );

  expect(results).toHaveLength(2);
  expect(at(results[1], "content")).toEqual({
    type: "web_search_tool_result_error",
    error_code: "max_uses_exceeded",
  });
  expect(at(answer, "usage", "server_tool_use", "web_search_requests")).toBe(1);
});

test("a conversation with a search continues if the results are returned unchanged", async () => {
  const found = await blocks(say(question, { tools: [SEARCH] }));
  const goOn = (content: readonly Json[]) =>
    say("", {
      tools: [SEARCH],
      messages: [
        { role: "user", content: question },
        { role: "assistant", content },
        { role: "user", content: "Say thanks" },
      ],
    });
  const status = async (content: readonly Json[]) => {
    const response = await postMessages(sandbox, goOn(content));
    return [response.status, textAt(parseJson(await response.text()), "error", "message")];
  };
  const [call, result, ...rest] = found;
  const touched = JSON.parse(JSON.stringify(result).replace("All about", "Nothing about"));

  expect(await status(found)).toEqual([200, ""]);
  expect(await status([call ?? null, touched, ...rest])).toEqual([
    400,
    "messages.1.content.1.web_search_tool_result.content.0: Invalid `encrypted_content` in `search_result` block",
  ]);
  expect(await status([result ?? null, ...rest])).toEqual([
    400,
    expect.stringContaining("was found without a corresponding `server_tool_use` block"),
  ]);
});

test("a response that paused after its search is continued if it is returned", async () => {
  const paused = await messageTo(
    sandbox,
    say(`${question} [[fault:finish reason=pause_turn]]`, { tools: [SEARCH] }),
  );
  const goOn = (count: number) =>
    messageTo(
      sandbox,
      say("", {
        tools: [SEARCH],
        messages: [
          { role: "user", content: question },
          { role: "assistant", content: blocksOf(paused).slice(0, count) },
        ],
      }),
    );
  const answered = { content: [{ type: "text" }], stop_reason: "end_turn" };

  expect(paused["stop_reason"]).toBe("pause_turn");
  expect(await goOn(2)).toMatchObject(answered);
  expect(await goOn(1)).toMatchObject(answered);
});

test("a page is fetched only if the user names it", async () => {
  const tools = [
    { type: "web_fetch_20250910", name: "web_fetch", blocked_domains: ["secret.example"] },
  ];
  const page = await blocks(say("Fetch https://pages.example/tides", { tools }));
  const blocked = await blocks(say("Fetch https://www.secret.example/tides", { tools }));

  expect(page[1]).toMatchObject({
    type: "web_fetch_tool_result",
    content: {
      type: "web_fetch_result",
      url: "https://pages.example/tides",
      content: { type: "document", source: { type: "text" } },
    },
  });
  expect(at(blocked[1], "content", "error_code")).toBe("url_not_allowed");
});

test("a program runs for a sum, and leaves a container", async () => {
  const body = (type: string) =>
    say("Run code to calculate 12 * 30", { tools: [{ type, name: "code_execution" }] });
  const answer = await messageTo(sandbox, body("code_execution_20250825"));
  const container = textAt(answer, "container", "id");

  expect(answer).toMatchObject({
    content: [
      {
        type: "server_tool_use",
        name: "bash_code_execution",
        input: { command: 'python3 -c "print(12 * 30)"' },
      },
      { type: "bash_code_execution_tool_result", content: { stdout: "360\n", return_code: 0 } },
      { type: "text", text: "Here is what I found: The program printed 360." },
    ],
  });
  const again = await messageTo(sandbox, { ...body("code_execution_20250825"), container });
  expect(container).toStartWith("container_");
  expect(at(again, "container", "id")).toBe(container);
});

test("a document with citations enabled is cited, with the position", async () => {
  const text = {
    type: "text",
    media_type: "text/plain",
    data: "The grass is green. The sky is blue.",
  };
  const parts = { type: "content", content: [{ type: "text", text: "Snow is white." }] };
  const citations = { enabled: true };
  const content = [
    { type: "document", source: text, title: "Colours", citations },
    { type: "document", source: parts, citations },
    { type: "document", source: text },
    {
      type: "search_result",
      source: "https://a.example",
      title: "Coal",
      content: [{ type: "text", text: "Coal is black." }],
      citations,
    },
    { type: "text", text: "Say so" },
  ];
  const cited = await blocks(say("", { messages: [{ role: "user", content }] }));

  expect(cited.flatMap((block) => (block["citations"] === undefined ? [] : [block]))).toEqual([
    {
      citations: [
        {
          type: "char_location",
          cited_text: "The grass is green. ",
          document_index: 0,
          document_title: "Colours",
          start_char_index: 0,
          end_char_index: 20,
        },
      ],
      type: "text",
      text: "The grass is green.",
    },
    {
      citations: [
        {
          type: "content_block_location",
          cited_text: "Snow is white.",
          document_index: 1,
          document_title: null,
          start_block_index: 0,
          end_block_index: 1,
        },
      ],
      type: "text",
      text: "Snow is white.",
    },
    {
      citations: [
        {
          type: "search_result_location",
          cited_text: "Coal is black.",
          source: "https://a.example",
          title: "Coal",
          search_result_index: 0,
          start_block_index: 0,
          end_block_index: 1,
        },
      ],
      type: "text",
      text: "Coal is black.",
    },
  ]);
});

test("tools that only the client can run are called like the client's own", async () => {
  const tools = [{ type: "bash_20250124", name: "bash" }];
  const answer = await messageTo(sandbox, say('Run "ls -l" in bash', { tools }));

  expect(answer).toMatchObject({
    content: [{ type: "tool_use", name: "bash", input: { command: "ls -l" } }],
    stop_reason: "tool_use",
  });
});

test("a response with a search and a client tool ends with the tool call", async () => {
  const body = say('Search the web for "tides" and get_weather in Oslo', {
    tools: [
      SEARCH,
      {
        name: "get_weather",
        input_schema: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
      },
    ],
  });
  const answer = await messageTo(sandbox, body);

  expect(kinds(blocksOf(answer).map(asObject)).toSorted()).toEqual([
    "server_tool_use",
    "tool_use",
    "web_search_tool_result",
  ]);
  expect(at(answer, "content", 2, "type")).toBe("tool_use");
  expect(answer["stop_reason"]).toBe("tool_use");
});
