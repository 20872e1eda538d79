import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json, JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { textAt } from "./testing/chat.ts";
import { WEATHER_TOOL, itemsOf, prompt, refusalOf, respond, send } from "./testing/responses.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const ask = { role: "user", content: "hi" };
const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "x" };

function tool(extra: JsonObject): JsonObject {
  return prompt("hi", { tools: [{ ...WEATHER_TOOL, ...extra }] });
}

/** Status, param and code. */
async function codeOf(body: JsonObject): Promise<string> {
  const [status, param, code] = (await refusalOf(await send(sandbox, "", { body }))).split(" | ");
  return `${status} ${param} ${code}`;
}

test.each<[string, JsonObject, string]>([
  ["no model", { input: "hi" }, "400 model missing_required_parameter"],
  ["an unknown model", prompt("hi", { model: "gpt-none" }), "400 model model_not_found"],
  ["a model that only speaks in chats", prompt("hi", { model: "gpt-audio" }), "400 model "],
  ["no input", { model: "gpt-4o" }, "400 input missing_required_parameter"],
  ["an empty input", prompt([]), "400 input missing_required_parameter"],
  ["an input that is a number", prompt(5), "400 input invalid_type"],
  [
    "the messages of a chat",
    { ...prompt("hi"), messages: [ask] },
    "400 messages unknown_parameter",
  ],
  ["an unknown parameter", prompt("hi", { top_k: 5 }), "400 top_k unknown_parameter"],
  [
    "an unknown part of a message",
    prompt([{ ...ask, reasoning_content: "hm" }]),
    "400 input[0].reasoning_content unknown_parameter",
  ],
  [
    "content outside of a message",
    prompt([{ type: "input_text", text: "hi" }]),
    "400 input[0] invalid_value",
  ],
  ["an unknown item", prompt([{ type: "smell" }]), "400 input[0] invalid_value"],
  ["an unknown role", prompt([{ role: "tool", content: "x" }]), "400 input[0].role invalid_value"],
  [
    "the user's kind of text from the assistant",
    prompt([ask, { role: "assistant", content: [{ type: "input_text", text: "x" }] }, ask]),
    "400 input[1].content[0] invalid_value",
  ],
  [
    "an image in the form of a chat",
    prompt([{ role: "user", content: [{ type: "image_url", image_url: { url: "https://a/b" } }] }]),
    "400 input[0].content[0] invalid_value",
  ],
  [
    "an invalid image",
    prompt([
      { role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,@@" }] },
    ]),
    "400 input[0].content[0].image_url invalid_value",
  ],
  ["a call without its output", prompt([ask, call]), "400 input "],
  ["an output without its call", prompt([ask, output]), "400 input "],
  ["an output before its call", prompt([ask, output, call]), "400 input "],
  [
    "a call id of 65 characters",
    prompt([ask, { ...call, call_id: "c".repeat(65) }]),
    "400 input[1].call_id string_above_max_length",
  ],
  [
    "the id of a call instead of the id of an item",
    prompt([ask, { ...call, id: "call_1" }, output]),
    "400 input[1].id invalid_value",
  ],
  [
    "one item twice",
    prompt([ask, { ...call, id: "fc_1" }, output, { ...call, id: "fc_1" }, output]),
    "400 input ",
  ],
  [
    "a reference to an item that is not stored",
    prompt([ask, { type: "item_reference", id: "fc_none" }]),
    "404 input ",
  ],
  [
    "reasoning that is neither encrypted nor stored",
    prompt([ask, { type: "reasoning", id: "rs_none", summary: [] }, call, output], {
      model: "o4-mini",
    }),
    "404 input ",
  ],
  [
    "reasoning that was encrypted elsewhere",
    prompt(
      [
        ask,
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABqhb8qTmuv" },
        call,
        output,
      ],
      { model: "o4-mini" },
    ),
    "400  invalid_encrypted_content",
  ],
  [
    "a previous response that is not known",
    prompt("hi", { previous_response_id: "resp_none" }),
    "400 previous_response_id previous_response_not_found",
  ],
  ["a conversation that is not known", prompt("hi", { conversation: "conv_none" }), "404  "],
  ["a template that is not known", prompt("hi", { prompt: { id: "pmpt_none" } }), "404  "],
  [
    "15 tokens of output",
    prompt("hi", { max_output_tokens: 15 }),
    "400 max_output_tokens integer_below_min_value",
  ],
  [
    "a temperature above 2",
    prompt("hi", { temperature: 2.1 }),
    "400 temperature decimal_above_max_value",
  ],
  [
    "a temperature for a model that thinks",
    prompt("hi", { model: "o4-mini", temperature: 0.2 }),
    "400 temperature unsupported_parameter",
  ],
  [
    "an effort for a model that does not think",
    prompt("hi", { reasoning: { effort: "low" } }),
    "400 reasoning.effort unsupported_parameter",
  ],
  [
    "an effort the model does not know",
    prompt("hi", { model: "o3", reasoning: { effort: "minimal" } }),
    "400 reasoning.effort unsupported_value",
  ],
  [
    "an unknown kind of summary",
    prompt("hi", { model: "o3", reasoning: { summary: "none" } }),
    "400 reasoning.summary invalid_value",
  ],
  [
    "encrypted reasoning for a model without reasoning",
    prompt("hi", { include: ["reasoning.encrypted_content"] }),
    "400 include ",
  ],
  ["an unknown inclusion", prompt("hi", { include: ["all"] }), "400 include[0] invalid_value"],
  [
    "stream options without a stream",
    prompt("hi", { stream_options: { include_obfuscation: true } }),
    "400 stream_options ",
  ],
  [
    "a tool in the form of a chat",
    prompt("hi", { tools: [{ type: "function", function: { name: "f" } }] }),
    "400 tools[0].name missing_required_parameter",
  ],
  [
    "a tool of an unknown type",
    prompt("hi", { tools: [{ type: "smell" }] }),
    "400 tools[0].type invalid_value",
  ],
  ["a tool name with a blank", tool({ name: "a b" }), "400 tools[0].name invalid_value"],
  [
    "a strict tool with an optional property",
    tool({ strict: true, parameters: { type: "object", properties: { a: { type: "string" } } } }),
    "400 tools[0].parameters invalid_function_parameters",
  ],
  [
    "a strict tool that is open",
    tool({ strict: true }),
    "400 tools[0].parameters invalid_function_parameters",
  ],
  [
    "a file search without a store",
    prompt("hi", { tools: [{ type: "file_search" }] }),
    "400 tools[0].vector_store_ids missing_required_parameter",
  ],
  [
    "a file search in a store that is not there",
    prompt("hi", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }),
    "404 tools ",
  ],
  ["a forced tool without tools", prompt("hi", { tool_choice: "required" }), "400 tool_choice "],
  [
    "a demand for a tool that is not offered",
    prompt("hi", { tools: [WEATHER_TOOL], tool_choice: { type: "function", name: "g" } }),
    "400 tool_choice ",
  ],
  [
    "an unknown tool choice",
    prompt("hi", { tools: [WEATHER_TOOL], tool_choice: "any" }),
    "400 tool_choice invalid_value",
  ],
  [
    "a schema without a name",
    prompt("hi", { text: { format: { type: "json_schema", schema: {} } } }),
    "400 text.format.name missing_required_parameter",
  ],
  [
    "a schema in the form of a chat",
    prompt("hi", { text: { format: { type: "json_schema", json_schema: { name: "x" } } } }),
    "400 text.format.name missing_required_parameter",
  ],
  [
    "a strict schema that is open",
    prompt("hi", {
      text: {
        format: {
          type: "json_schema",
          name: "x",
          strict: true,
          schema: { type: "object", properties: {} },
        },
      },
    }),
    "400 text.format.schema invalid_json_schema",
  ],
  [
    "a JSON object without the word JSON in the prompt",
    prompt("hi", { text: { format: { type: "json_object" } } }),
    "400 input ",
  ],
  ["an unknown truncation", prompt("hi", { truncation: "some" }), "400 truncation invalid_value"],
])("%s is refused like at the vendor", async (_, body, expected) => {
  expect(await codeOf(body)).toBe(expected);
});

test("encrypted reasoning is refused if it was changed, or sent with another key", async () => {
  const settings = {
    model: "o4-mini",
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [WEATHER_TOOL],
  };
  const first = await respond(sandbox, { ...settings, input: "Weather in Oslo?" });
  const [thoughts = {}] = itemsOf(first, "reasoning");
  const [made = {}] = itemsOf(first, "function_call");
  const sealed = textAt(thoughts, "encrypted_content");
  const flipped = `${sealed.slice(0, 60)}${sealed[60] === "A" ? "B" : "A"}${sealed.slice(61)}`;
  const back = (encrypted_content: string, key = "sk-test") =>
    send(sandbox, "", {
      key,
      body: {
        ...settings,
        input: [
          { role: "user", content: "Weather in Oslo?" },
          { ...thoughts, encrypted_content },
          made,
          { ...output, call_id: made["call_id"] ?? null },
        ],
      },
    });

  expect((await back(sealed)).status).toBe(200);
  expect(await refusalOf(await back(flipped))).toContain("invalid_encrypted_content");
  expect(await refusalOf(await back(`${sealed}=`))).toContain("invalid_encrypted_content");
  expect(await refusalOf(await back(sealed, "sk-other"))).toContain("invalid_encrypted_content");
});

test("stored reasoning and its output are accepted together only", async () => {
  const settings = { model: "o4-mini", tools: [WEATHER_TOOL] };
  const first = await respond(sandbox, { ...settings, input: "Weather in Oslo?" });
  const [thoughts = {}] = itemsOf(first, "reasoning");
  const [made = {}] = itemsOf(first, "function_call");
  const result = { ...output, call_id: made["call_id"] ?? null };
  const say = async (...items: readonly Json[]) =>
    refusalOf(await send(sandbox, "", { body: { ...settings, input: [ask, ...items] } }));
  const reference = (item: JsonObject) => ({ type: "item_reference", id: item["id"] ?? null });

  expect(await say(thoughts, made, result)).toStartWith("200");
  expect(await say(reference(thoughts), reference(made), result)).toStartWith("200");
  expect(await say(made, result)).toContain("without its required 'reasoning' item");
  expect(await say(reference(made), result)).toContain("without its required 'reasoning' item");
  expect(await say(thoughts)).toContain("without its required following item");
  expect(await say(thoughts, ask)).toContain("without its required following item");
});

test.each<[string, JsonObject]>([
  [
    "null for every optional parameter",
    prompt("hi", {
      temperature: null,
      tools: null,
      tool_choice: null,
      text: null,
      reasoning: null,
      stream: null,
      include: null,
      metadata: null,
    }),
  ],
  ["settings that are empty", prompt("hi", { reasoning: {}, text: {}, tools: [] })],
  [
    "sampling options with reasoning turned off",
    prompt("hi", { model: "gpt-5.1", temperature: 0 }),
  ],
  ["a tool choice without tools", prompt("hi", { tool_choice: "auto" })],
  ["a replayed answer without an id", prompt([ask, { role: "assistant", content: "hello" }, ask])],
  [
    "a tool's output in parts",
    prompt([ask, call, { ...output, output: [{ type: "input_text", text: "x" }] }]),
  ],
  [
    "earlier activity of the vendor's own tools",
    prompt([
      ask,
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
      { role: "assistant", content: "found" },
      ask,
    ]),
  ],
  [
    "a call of a shell and its output",
    prompt([
      ask,
      { type: "local_shell_call", id: "lsh_1", call_id: "c1", status: "completed", action: {} },
      { type: "local_shell_call_output", call_id: "c1", output: "done" },
    ]),
  ],
])("%s: accepted", async (_, body) => {
  expect(await codeOf(body)).toBe("200  ");
});

test("a wrong key, a wrong path and a wrong method get different errors", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const seen = async (path: string, method: string, key = "sk-right") =>
    (await refusalOf(await send(guarded, path, { method, key })))
      .split(" | ")
      .slice(0, 3)
      .join(" ");

  expect(await seen("", "POST", "sk-wrong")).toBe("401  invalid_api_key");
  expect(await seen("", "GET")).toBe("405  method_not_supported");
  expect(await seen("", "POST")).toBe("415  unsupported_content_type");
  expect(await seen("/resp_none", "GET")).toBe("404  ");
  expect(await seen("/resp_none/cancel", "POST")).toBe("404  ");
});
