import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, Message, Tool } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { writeSignature } from "#core/signature.ts";
import type { JsonObject } from "#lib/json.ts";
import { refusal } from "#test/refusal.ts";
import { gemini } from "./index.ts";

const OLD: ModelTraits = { kind: "chat" };
const THINKING: ModelTraits = {
  kind: "chat",
  reasoningControls: { toggle: true, budget: { minTokens: 128, maxTokens: 32_768 } },
};
const NEWEST: ModelTraits = { kind: "chat", reasoningControls: { efforts: ["low", "high"] } };

interface Written {
  readonly body: JsonObject;
  readonly lost: readonly string[];
}

/** A request of another style's caller, written for an upstream of this one. */
function written(request: Partial<ChatRequest>, model: ModelTraits = {}): Written {
  const report = new LossReport();
  const whole: ChatRequest = {
    model: "m",
    messages: [said("user", "hi")],
    stream: false,
    sampling: {},
    ...request,
  };
  return { body: gemini.outbound.buildRequest(whole, { report, model }), lost: report.fields };
}

function contents(messages: readonly Message[], model: ModelTraits = {}): unknown {
  return written({ messages }, model).body["contents"];
}

/** Of a caller of this style. */
function read(fields: JsonObject, steering: Partial<ChatRequest> = {}): ChatRequest {
  const body = { contents: [{ role: "user", parts: [{ text: "hi" }] }], ...fields };
  const facts = gemini.inbound.readRequest(body, { model: "m", stream: false });
  return { ...gemini.inbound.parseRequest(body, facts), ...steering };
}

function said(role: Message["role"], text: string): Message {
  return { role, blocks: [{ type: "text", text }] };
}

function called(id: string, name = "f", more: Partial<Block> = {}): Block {
  return { type: "tool_call", id, name, arguments: '{"x":1}', kind: "function", ...more } as Block;
}

function calling(...blocks: Block[]): Message {
  return { role: "assistant", blocks };
}

function answered(callId: string, text: string, more: Partial<Block> = {}): Message {
  const block = { type: "tool_result", callId, blocks: [{ type: "text", text }], ...more } as Block;
  return { role: "tool", blocks: [block] };
}

function functionCall(name = "f"): JsonObject {
  return { functionCall: { name, args: { x: 1 } } };
}

function functionResponse(output: string, name = "f"): JsonObject {
  return { functionResponse: { name, response: { output } } };
}

const TOOL: Tool = {
  kind: "function",
  name: "f",
  description: "d",
  parameters: { type: "object", properties: { x: { $ref: "#/$defs/n" } }, $defs: { n: {} } },
};

describe("user and model turns alternate", () => {
  test("messages of one role become one content", () => {
    expect(contents([said("user", "a"), said("user", "b"), said("assistant", "c")])).toEqual([
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
      { role: "model", parts: [{ text: "c" }] },
    ]);
  });

  test("leading instructions become the system's, later ones the user's", () => {
    const messages = [
      said("system", "one"),
      said("developer", "two"),
      said("user", "a"),
      said("system", "three"),
    ];

    expect(written({ messages })).toEqual({
      body: {
        systemInstruction: { parts: [{ text: "one" }, { text: "two" }] },
        contents: [{ role: "user", parts: [{ text: "a" }, { text: "three" }] }],
      },
      lost: ["messages.role"],
    });
  });

  test("instructions alone become a user message, since a message is required", () => {
    expect(written({ messages: [said("system", "one")] }).body).toEqual({
      contents: [{ role: "user", parts: [{ text: "one" }] }],
    });
  });

  test("empty texts are omitted, since the vendor refuses them", () => {
    expect(contents([said("user", ""), said("user", "a"), said("assistant", "")])).toEqual([
      { role: "user", parts: [{ text: "a" }] },
    ]);
  });

  test("a conversation that begins with a call gets a user message before it", () => {
    expect(contents([calling(called("a")), answered("a", "1")])).toEqual([
      { role: "user", parts: [{ text: "(The conversation begins here.)" }] },
      { role: "model", parts: [functionCall()] },
      { role: "user", parts: [functionResponse("1")] },
    ]);
  });
});

describe("[A4.7-d] each call is answered once, in the content after the calls", () => {
  const ASK = said("user", "hi");
  const QUESTION = { role: "user", parts: [{ text: "hi" }] };

  test("results that arrived one by one, and in another order, have the order of the calls", () => {
    const messages = [
      ASK,
      calling(called("a"), called("b", "g")),
      answered("b", "2"),
      answered("a", "1"),
    ];

    expect(contents(messages)).toEqual([
      QUESTION,
      { role: "model", parts: [functionCall(), functionCall("g")] },
      { role: "user", parts: [functionResponse("1"), functionResponse("2", "g")] },
    ]);
  });

  test("user text beside results comes after them", () => {
    const result = answered("a", "1").blocks;
    const both: Message = { role: "user", blocks: [{ type: "text", text: "and?" }, ...result] };

    expect(contents([ASK, calling(called("a")), both])).toEqual([
      QUESTION,
      { role: "model", parts: [functionCall()] },
      { role: "user", parts: [functionResponse("1"), { text: "and?" }] },
    ]);
  });

  test("an unanswered call gets a result, in the middle and at the end", () => {
    const none = {
      functionResponse: { name: "f", response: { error: "The tool gave no result." } },
    };

    expect(contents([ASK, calling(called("a")), said("user", "stop")])).toEqual([
      QUESTION,
      { role: "model", parts: [functionCall()] },
      { role: "user", parts: [none, { text: "stop" }] },
    ]);
    expect(contents([ASK, calling(called("a"), called("b")), answered("b", "2")])).toEqual([
      QUESTION,
      { role: "model", parts: [functionCall(), functionCall()] },
      { role: "user", parts: [none, functionResponse("2")] },
    ]);
    expect(contents([ASK, calling(called("a"))])).toEqual([
      QUESTION,
      { role: "model", parts: [functionCall()] },
      { role: "user", parts: [none] },
    ]);
  });

  test("a result without a call becomes text", () => {
    const stray = answered("zz", "lost", { name: "g" } as Partial<Block>);

    expect(contents([ASK, stray])).toEqual([
      { role: "user", parts: [{ text: "hi" }, { text: "Result of g: lost" }] },
    ]);
  });

  test("two calls of one function with one id are kept apart", () => {
    const messages = [
      ASK,
      calling(called("a"), called("a")),
      answered("a", "1"),
      answered("a", "2"),
    ];

    expect(contents(messages)).toEqual([
      QUESTION,
      { role: "model", parts: [functionCall(), functionCall()] },
      { role: "user", parts: [functionResponse("1"), functionResponse("2")] },
    ]);
  });

  test("a failed tool is marked as an error", () => {
    const failed = answered("a", "no such file", { isError: true } as Partial<Block>);

    expect(contents([ASK, calling(called("a")), failed])).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { error: "no such file" } } }] },
    ]);
  });

  test("a failure without text is read as a failure", () => {
    const failed = answered("a", "", { isError: true } as Partial<Block>);
    const { body } = written({ messages: [ASK, calling(called("a")), failed] });
    const [, , message] = read(body).messages;

    expect(message).toMatchObject({
      role: "tool",
      blocks: [{ type: "tool_result", isError: true, blocks: [{ type: "text", text: "" }] }],
    });
  });

  test("a result that is JSON stays text, since some names in it are refused", () => {
    const json = '{"$ref":"#/a"}';

    expect(contents([ASK, calling(called("a")), answered("a", json)])).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { output: json } } }] },
    ]);
  });

  test.each<[string, string, JsonObject]>([
    ["nothing", "", {}],
    ["null", "null", {}],
    ["a number", "5", { value: 5 }],
    ["a list", "[1]", { value: [1] }],
    ["broken JSON", '{"x":', { _raw: '{"x":' }],
  ])("arguments are an object even if the model wrote %s", (_what, args, expected) => {
    const call = called("a", "f", { arguments: args } as Partial<Block>);
    const { body } = written({ messages: [ASK, calling(call)] });

    expect(body["contents"]).toEqual([
      QUESTION,
      { role: "model", parts: [{ functionCall: { name: "f", args: expected } }] },
      expect.anything(),
    ]);
  });

  test("a tool's image is within its result for the newest models, beside it for others", () => {
    const image: Block = { type: "image", source: { kind: "data", base64: "AAAA" } };
    const text: Block = { type: "text", text: "see" };
    const messages: Message[] = [
      ASK,
      calling(called("a")),
      { role: "tool", blocks: [{ type: "tool_result", callId: "a", blocks: [text, image] }] },
    ];
    const shown = { inlineData: { mimeType: "image/png", data: "AAAA" } };

    expect(contents(messages)).toMatchObject([{}, {}, { parts: [functionResponse("see"), shown] }]);
    expect(contents(messages, NEWEST)).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { name: "f", parts: [shown] } }] },
    ]);
  });
});

describe("reasoning signatures", () => {
  const ASK = said("user", "hi");
  const OWN = { issuer: "gemini", value: "c2ln" };
  const FOREIGN = { issuer: "messages", value: "c2ln" };

  test("of another vendor are never sent, nor the reasoning that they sign", () => {
    const thought: Block = { type: "reasoning", text: "hm", signature: FOREIGN };
    const { body, lost } = written({
      messages: [ASK, calling(thought, called("a", "f", { signature: FOREIGN } as Partial<Block>))],
    });

    expect(JSON.stringify(body)).not.toContain("c2ln");
    expect(JSON.stringify(body)).not.toContain("hm");
    expect(lost).toContain("reasoning");
  });

  test("of the vendor itself go back to it", () => {
    const thought: Block = { type: "reasoning", text: "hm", signature: OWN };
    const proof: Block = { type: "reasoning", text: "", signature: OWN };
    const call = called("a", "f", { signature: OWN } as Partial<Block>);

    expect(contents([ASK, calling(thought, proof, call)])).toMatchObject([
      {},
      {
        parts: [
          { text: "hm", thought: true, thoughtSignature: "c2ln" },
          { text: "", thoughtSignature: "c2ln" },
          { functionCall: { name: "f" }, thoughtSignature: "c2ln" },
        ],
      },
      {},
    ]);
  });

  test("have a placeholder at the first call of each step since the last user turn, for the newest models", () => {
    const messages = [
      ASK,
      calling(called("a")),
      answered("a", "1"),
      said("assistant", "done"),
      said("user", "again"),
      calling(called("b"), called("c")),
      answered("b", "2"),
      answered("c", "3"),
      calling(called("d")),
      answered("d", "4"),
    ];
    const marked = (model: ModelTraits): readonly boolean[] =>
      (contents(messages, model) as { parts: JsonObject[] }[])
        .flatMap(({ parts }) => parts)
        .filter((part) => "functionCall" in part)
        .map((part) => part["thoughtSignature"] === "skip_thought_signature_validator");

    expect(marked(NEWEST)).toEqual([false, true, false, true]);
    expect(marked(THINKING)).toEqual([false, false, false, false]);
  });
});

describe("tool names are escaped, and restored", () => {
  test("in the declaration, the choice, the call and its result", () => {
    const name = "1 tool:x";
    const { body } = written({
      tools: [{ ...TOOL, name }],
      toolChoice: { mode: "named", name, kind: "function" },
      messages: [said("user", "hi"), calling(called("a", name)), answered("a", "1")],
    });
    const names = JSON.stringify(body).match(/_\.[^"]*/g) ?? [];

    expect(names.length).toBe(4);
    expect(new Set(names)).toEqual(new Set(["_.1.20tool.3ax"]));
  });

  test("a free-text tool is a function with one parameter", () => {
    const tool: Tool = { kind: "custom", name: "patch", format: { type: "grammar" } };
    const call: Block = {
      type: "tool_call",
      id: "a",
      name: "patch",
      arguments: "*** x",
      kind: "custom",
    };
    const { body, lost } = written({
      tools: [tool],
      messages: [said("user", "hi"), calling(call), answered("a", "1")],
    });

    expect(body).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            { name: "patch.-text", parametersJsonSchema: { required: ["input"] } },
          ],
        },
      ],
      contents: [
        {},
        { parts: [{ functionCall: { name: "patch.-text", args: { input: "*** x" } } }] },
        { parts: [functionResponse("1", "patch.-text")] },
      ],
    });
    expect(lost).toEqual(["tools.format"]);
  });

  test.each([
    [undefined, 64],
    [128, 128],
  ])("a name that is too long is shortened in every place (%p)", (max, length) => {
    const name = "x".repeat(129);
    const model = max === undefined ? {} : { rules: { maxToolNameLength: max } };
    const call: Block = { type: "tool_call", id: "a", name, arguments: "{}", kind: "function" };
    const { body } = written(
      {
        tools: [{ ...TOOL, name }],
        toolChoice: { mode: "named", name, kind: "function" },
        messages: [said("user", "hi"), calling(call), answered("a", "1")],
      },
      model,
    );
    const fit = {
      ...body,
      ...gemini.outbound.fitRequest?.(body, { report: new LossReport(), model }),
    };
    const names = [...JSON.stringify(fit).matchAll(/x{20,}_[0-9a-f]{12}/g)].map(([one]) => one);

    expect(new Set(names).size).toBe(1);
    expect(names.map((one) => one.length)).toEqual([length, length, length, length]);
    expect(JSON.stringify(fit)).not.toContain(name);
  });
});

describe("tools", () => {
  test("all functions are in one element, with unchanged JSON schemas", () => {
    const { body, lost } = written({ tools: [TOOL, { kind: "function", name: "g" }] });

    expect(body["tools"]).toEqual([
      {
        functionDeclarations: [
          { name: "f", description: "d", parametersJsonSchema: TOOL.parameters },
          { name: "g" },
        ],
      },
    ]);
    expect(lost).toEqual([]);
  });

  test("a function without parameters has no schema, since an empty one is refused", () => {
    const tools: Tool[] = [{ ...TOOL, parameters: { type: "object", properties: {} } }];

    expect(written({ tools }).body["tools"]).toEqual([
      { functionDeclarations: [{ name: "f", description: "d" }] },
    ]);
  });

  test.each<[ChatRequest["toolChoice"], JsonObject | undefined]>([
    [{ mode: "auto" }, { mode: "AUTO" }],
    [{ mode: "none" }, { mode: "NONE" }],
    [{ mode: "required" }, { mode: "ANY" }],
    [
      { mode: "named", name: "f", kind: "function" },
      { mode: "ANY", allowedFunctionNames: ["f"] },
    ],
    [
      { mode: "allowed", required: true, tools: [{ kind: "function", name: "f" }] },
      { mode: "ANY" },
    ],
    [undefined, undefined],
  ])("[A4.7-d] a choice of tools: %p", (toolChoice, expected) => {
    const { body } = written({
      tools: [TOOL],
      ...(toolChoice === undefined ? {} : { toolChoice }),
    });

    expect<unknown>(body["toolConfig"]).toEqual(
      expected === undefined ? undefined : { functionCallingConfig: expected },
    );
  });

  test("excluded tools are not sent, and those of another style are reported", () => {
    const { body, lost } = written({
      tools: [TOOL, { ...TOOL, name: "g" }],
      toolChoice: {
        mode: "allowed",
        required: false,
        tools: [{ kind: "function", name: "g" }],
        extra: { responses: { allowed_tools: [{ type: "web_search" }] } },
      },
    });

    expect(lost).toEqual(["tool_choice.allowed_tools"]);

    expect(body).toMatchObject({ tools: [{ functionDeclarations: [{ name: "g" }] }] });
    expect(JSON.stringify(body["tools"])).not.toContain('"f"');
  });

  test("an option for one call at a time is reported, since the style lacks it", () => {
    expect(written({ tools: [TOOL], parallelToolCalls: false }).lost).toEqual([
      "parallel_tool_calls",
    ]);
  });
});

describe("[A4.3-06] [A4.3-05] search", () => {
  const search = { googleSearch: {} };

  test("is the vendor's own tool, for clients of all styles", () => {
    expect(written({ webSearch: { contextSize: "high" } })).toEqual({
      body: { contents: [{ role: "user", parts: [{ text: "hi" }] }], tools: [search] },
      lost: ["web_search.context_size"],
    });
  });

  test.each(["vendorSearch", "googleSearch", "google_search"])(
    "a function named %s requests it",
    (name) => {
      const { body } = written({ tools: [{ kind: "function", name }] });

      expect(body["tools"]).toEqual([search]);
    },
  );

  test("native tools of another style's client are sent beside it", () => {
    const { body } = written({
      extra: { gemini: { tools: [{ vendorSearch: {} }, { urlContext: {} }] } },
    });

    expect(body["tools"]).toEqual([search, { urlContext: {} }]);
  });

  test("is omitted beside functions for older models, and sent to the newest", () => {
    const both = { tools: [TOOL], webSearch: {} };

    expect(written(both, THINKING).lost).toEqual(["web_search"]);
    expect(written(both, THINKING).body["tools"]).toMatchObject([{ functionDeclarations: [{}] }]);
    expect(written(both, NEWEST)).toMatchObject({
      body: {
        tools: [{ functionDeclarations: [{ name: "f" }] }, search],
        toolConfig: { includeServerSideToolInvocations: true },
      },
      lost: [],
    });
  });

  test("combines with a reasoning level", () => {
    const { body } = written({ webSearch: {}, reasoning: { effort: "high" } }, NEWEST);

    expect(body).toMatchObject({
      tools: [search],
      generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } },
    });
  });
});

describe("media", () => {
  function part(block: Block): unknown {
    return (contents([{ role: "user", blocks: [block] }]) as { parts: unknown[] }[])[0]?.parts[0];
  }

  test.each<[string, Block, JsonObject]>([
    [
      "a picture",
      { type: "image", source: { kind: "data", base64: "AA" }, mediaType: "image/webp" },
      { inlineData: { mimeType: "image/webp", data: "AA" } },
    ],
    [
      "sound by its bare format",
      { type: "audio", source: { kind: "data", base64: "AA" }, mediaType: "mp3" },
      { inlineData: { mimeType: "audio/mp3", data: "AA" } },
    ],
    [
      "a document",
      { type: "file", source: { kind: "data", base64: "AA" } },
      { inlineData: { mimeType: "application/pdf", data: "AA" } },
    ],
    [
      "a link to an image",
      { type: "image", source: { kind: "url", url: "https://example.com/a.JPG?x=1.png" } },
      { fileData: { fileUri: "https://example.com/a.JPG?x=1.png", mimeType: "image/jpeg" } },
    ],
    [
      "a link to a page with a film",
      { type: "video", source: { kind: "url", url: "https://example.com/watch?v=1" } },
      { fileData: { fileUri: "https://example.com/watch?v=1" } },
    ],
  ])("[A4.7-f] %s", (_what, block, expected) => {
    expect<unknown>(part(block)).toEqual(expected);
  });

  test("audio output of a model is omitted, if only another vendor stores it", () => {
    const aloud: Block = { type: "audio", source: { kind: "reference", id: "audio_1" } };
    const { body, lost } = written({
      messages: [said("user", "hi"), calling(aloud), said("user", "so?")],
    });

    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ text: "hi" }] },
      { role: "user", parts: [{ text: "so?" }] },
    ]);
    expect(lost).toEqual(["messages.audio"]);
  });

  test("a file stored at another vendor is refused", () => {
    const block: Block = { type: "file", source: { kind: "reference", id: "file-1" } };

    expect(refusal(() => part(block))).toEqual(["not_carried", "messages[0]"]);
  });
});

describe("formats", () => {
  const schema = {
    type: "object",
    properties: { a: { type: ["string", "null"] } },
    additionalProperties: false,
  };
  const format = { type: "json_schema", name: "n", schema, strict: true } as const;

  test("[A4.3-09] reasoning models accept JSON schema, older ones a subset", () => {
    expect(written({ format }, THINKING).body["generationConfig"]).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: schema,
    });
    expect(written({ format }, OLD).body["generationConfig"]).toEqual({
      responseMimeType: "application/json",
      responseSchema: {
        type: "OBJECT",
        properties: { a: { type: "STRING", nullable: true } },
      },
    });
  });

  test("JSON without a schema", () => {
    expect(written({ format: { type: "json" } }).body["generationConfig"]).toEqual({
      responseMimeType: "application/json",
    });
  });

  test("beside tools older models get an instruction, with a report", () => {
    const { body, lost } = written({ format, tools: [TOOL] }, THINKING);

    expect(body["generationConfig"]).toBeUndefined();
    expect(JSON.stringify(body["systemInstruction"])).toContain("additionalProperties");
    expect(lost).toEqual(["response_format"]);
    expect(written({ format, tools: [TOOL] }, NEWEST)).toMatchObject({
      body: { generationConfig: { responseJsonSchema: schema } },
      lost: [],
    });
  });
});

describe("settings", () => {
  test("have their own fields", () => {
    const { body, lost } = written({
      sampling: { temperature: 0, topP: 0.5, topK: 3, seed: 7, presencePenalty: 1 },
      maxOutputTokens: 9,
      stop: ["a"],
      choices: 2,
      logprobs: { top: 3 },
      modalities: ["text", "image"],
    });

    expect(body["generationConfig"]).toEqual({
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 7,
      presencePenalty: 1,
      maxOutputTokens: 9,
      stopSequences: ["a"],
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
      responseModalities: ["TEXT", "IMAGE"],
    });
    expect(lost).toEqual([]);
  });

  test("that the vendor refuses are omitted and reported", () => {
    const { body, lost } = written(
      {
        sampling: { presencePenalty: 1, frequencyPenalty: 0, seed: 2 ** 40, topK: -1 },
        stop: ["a", "b", "c", "d", "e", "f"],
        user: "u",
        metadata: { a: "b" },
      },
      THINKING,
    );

    expect(body["generationConfig"]).toEqual({ stopSequences: ["a", "b", "c", "d", "e"] });
    expect(lost).toEqual(["user", "metadata", "presence_penalty", "seed", "stop"]);
  });

  test("for text output and a strict schema are defaults, and not sent", () => {
    const { body, lost } = written({
      modalities: ["text"],
      format: { type: "text" },
      tools: [{ ...TOOL, strict: true }],
    });

    expect(body["generationConfig"]).toBeUndefined();
    expect(lost).toEqual(["tools.strict"]);
  });

  test("for the output limit never exceed the model's maximum", () => {
    const { body, lost } = written({ maxOutputTokens: 64_000 }, { maxOutputTokens: 8_192 });

    expect(body["generationConfig"]).toEqual({ maxOutputTokens: 8_192 });
    expect(lost).toEqual(["max_tokens"]);
  });

  test("cache marks, names, citations and unknown content are reported", () => {
    const blocks: Block[] = [
      { type: "text", text: "a", cache: "short", citations: [{ url: "https://example.com" }] },
      { type: "other", style: "messages", data: { type: "search_result" } },
    ];

    expect(written({ messages: [{ role: "user", blocks, name: "n" }] }).lost).toEqual([
      "messages.name",
      "cache_control",
      "citations",
      "messages.search_result",
    ]);
  });
});

describe("a client of this style", () => {
  test("gets its request written unchanged", () => {
    const fields: JsonObject = {
      contents: [
        { role: "user", parts: [{ text: "a", videoMetadata: { fps: 1 } }, { text: "" }] },
        { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "A-_A" } }] },
        { role: "model", parts: [{ executableCode: { language: "PYTHON", code: "1" } }] },
        { role: "model", parts: [{ text: "b", thoughtSignature: "c2ln" }] },
      ],
      systemInstruction: { role: "user", parts: [{ text: "s" }] },
      generationConfig: {
        responseMimeType: "text/x.enum",
        responseSchema: { type: "STRING", enum: ["a"] },
        speechConfig: { languageCode: "de" },
        thinkingConfig: { thinkingLevel: "LOW", brandNew: 1 },
        responseModalities: ["text"],
      },
      tools: [
        {
          functionDeclarations: [
            { name: "f", behavior: "BLOCKING" },
            { name: "g", parameters: { type: 6, properties: { a: { type: 1 } } } },
          ],
        },
        { urlContext: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: "VALIDATED" }, retrievalConfig: { a: 1 } },
      safetySettings: [{ category: "a", threshold: "OFF" }],
      labels: { under_score: "x" },
    };
    const report = new LossReport();

    expect(gemini.outbound.buildRequest(read(fields), { report, model: NEWEST })).toEqual(fields);
    expect(report.fields).toEqual([]);
  });

  test("[A4.7-f] gets search by the vendor's name", () => {
    const report = new LossReport();
    const built = gemini.outbound.buildRequest(read({ tools: [{ vendorSearch: {} }] }), {
      report,
      model: {},
    });

    expect(built["tools"]).toEqual([{ googleSearch: {} }]);
  });

  test("may write with underscores, and nested client JSON is unchanged", () => {
    const request = read({
      contents: [
        { role: "model", parts: [{ function_call: { name: "f", args: { my_arg: 1 } } }] },
        {
          role: "user",
          parts: [{ function_response: { name: "f", response: { my_key: 1 } } }],
        },
      ],
      system_instruction: { parts: { text: "s" } },
      generation_config: { max_output_tokens: 5, response_schema: { any_of: [], type: "OBJECT" } },
      tools: [
        {
          function_declarations: [
            {
              name: "f",
              parameters: { type: "OBJECT", properties: { my_arg: { min_items: "1" } } },
            },
          ],
        },
      ],
    });
    const built = gemini.outbound.buildRequest(request, { report: new LossReport(), model: {} });

    expect(request.maxOutputTokens).toBe(5);
    expect(request.tools?.[0]?.parameters).toEqual({
      type: "object",
      properties: { my_arg: { minItems: 1 } },
    });
    expect(JSON.stringify(built)).toContain('"args":{"my_arg":1}');
    expect(JSON.stringify(built)).toContain('"response":{"my_key":1}');
    expect(JSON.stringify(built)).not.toContain("any_of");
  });

  test("gets signatures of another vendor, which are removed again on return", () => {
    const lent = writeSignature({ issuer: "messages", value: "secret proof" }, "gemini");
    const request = read({
      contents: [
        {
          role: "model",
          parts: [
            { text: "one ", thought: true },
            { text: "two", thought: true },
            { text: "", thought: true, thoughtSignature: lent },
            { functionCall: { name: "f", args: {} }, thoughtSignature: lent },
          ],
        },
      ],
    });

    expect(request.messages[0]?.blocks[0]).toEqual({
      type: "reasoning",
      text: "one two",
      signature: { issuer: "messages", value: "secret proof" },
    });
    const built = gemini.outbound.buildRequest(request, { report: new LossReport(), model: {} });
    expect(built["contents"]).toEqual([
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
    ]);
  });

  test("may change only the fields that a model name's suffix sets", () => {
    const fields = {
      generationConfig: { maxOutputTokens: 1_000, topK: 40, thinkingConfig: {} },
      safetySettings: [{ category: "a", threshold: "OFF" }],
    };
    const request = read(fields, {
      reasoning: { enabled: true, budgetTokens: -1, visible: true },
    });
    const built = gemini.outbound.buildRequest(request, {
      report: new LossReport(),
      model: THINKING,
    });

    expect(built).toEqual({
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      generationConfig: {
        topK: 40,
        maxOutputTokens: 1_000,
        thinkingConfig: { thinkingBudget: 600, includeThoughts: true },
      },
      safetySettings: fields.safetySettings,
    });
  });
});

describe("[A4.7-d] results are matched to their calls", () => {
  function ids(parts: JsonObject[], results: JsonObject[]): [unknown[], unknown[]] {
    const { messages } = read({
      contents: [
        { role: "model", parts },
        { role: "user", parts: results },
      ],
    });
    const blocks = messages.flatMap((message) => message.blocks);
    return [
      blocks.flatMap((block) => (block.type === "tool_call" ? [block.id] : [])),
      blocks.flatMap((block) => (block.type === "tool_result" ? [block.callId] : [])),
    ];
  }
  const call = (name: string, id?: string): JsonObject => ({
    functionCall: { name, args: {}, ...(id === undefined ? {} : { id }) },
  });
  const result = (name: string, id?: string): JsonObject => ({
    functionResponse: { name, response: {}, ...(id === undefined ? {} : { id }) },
  });

  test("by id", () => {
    expect(ids([call("f", "1"), call("f", "2")], [result("f", "2"), result("f", "1")])).toEqual([
      ["1", "2"],
      ["2", "1"],
    ]);
  });

  test("by name and order, with the same generated ids every time", () => {
    const expected = [
      ["call_0_0", "call_0_1", "call_0_2"],
      ["call_0_0", "call_0_2", "call_0_1"],
    ];
    const calls = [call("f"), call("g"), call("f")];
    const results = [result("f"), result("f"), result("g")];

    expect(ids(calls, results)).toEqual(expected as [unknown[], unknown[]]);
    expect(ids(calls, results)).toEqual(expected as [unknown[], unknown[]]);
  });

  test("by name if only one of the two has an id", () => {
    expect(ids([call("f", "1")], [result("f")])[1]).toEqual(["1"]);
    expect(ids([call("f")], [result("f", "9")])[1]).toEqual(["call_0_0"]);
  });

  test("and a result without a call has an id as well", () => {
    expect(ids([], [result("f")])).toEqual([[], ["call_1_0"]]);
  });

  test.each<[string, JsonObject, string, true | undefined]>([
    ["output", { output: "a" }, "a", undefined],
    ["an output that is no text", { output: { a: 1 } }, '{"a":1}', undefined],
    ["an error", { error: "a" }, "a", true],
    ["an error without text", { error: true }, "", true],
    ["anything else", { a: 1, b: 2 }, '{"a":1,"b":2}', undefined],
    ["an error among other things", { error: "a", code: 1 }, '{"error":"a","code":1}', true],
    ["an error that is empty", { error: null, data: 1 }, '{"error":null,"data":1}', undefined],
  ])("with the text: %s", (_what, response, text, isError) => {
    const { messages } = read({
      contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response } }] }],
    });

    expect(messages[0]).toMatchObject({ role: "tool", blocks: [{ blocks: [{ text }] }] });
    expect<unknown>(messages[0]?.blocks[0]).toHaveProperty("name", "f");
    expect(JSON.stringify(messages).includes('"isError":true')).toBe(isError === true);
  });
});

describe("results within a model turn", () => {
  const call = (name: string): JsonObject => ({ functionCall: { name, args: {} } });
  const result = (name: string): JsonObject => ({
    functionResponse: { name, response: { output: `of ${name}` } },
  });
  const contents = [
    { role: "user", parts: [{ text: "hi" }] },
    { role: "model", parts: [call("f"), call("g"), result("g"), result("f"), { text: "so" }] },
    { role: "model", parts: [call("h")] },
    { role: "model", parts: [result("h")], novel: 1 },
    { role: "model", parts: [{ text: "then" }] },
    { role: "model", parts: [] },
    { role: "user", parts: [{ text: "and?" }] },
  ];

  test("are a tool turn in other styles", () => {
    const { messages } = read({ contents });

    expect(messages.map(({ role, blocks }) => [role, blocks.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["tool_call", "tool_call"]],
      ["tool", ["tool_result", "tool_result"]],
      ["assistant", ["text"]],
      ["assistant", ["tool_call"]],
      ["tool", ["tool_result"]],
      ["assistant", ["text"]],
      ["assistant", []],
      ["user", ["text"]],
    ]);
  });

  test("stay in place for a vendor of this style", () => {
    const report = new LossReport();
    const body = gemini.outbound.buildRequest(read({ contents }), { report, model: NEWEST });

    expect(body["contents"]).toEqual(contents);
    expect(report.fields).toEqual([]);
  });

  test("stay together, with any remaining text around them", () => {
    const { messages } = read({ contents });
    const rest = messages.filter((_, index) => index !== 1);
    const report = new LossReport();
    const body = gemini.outbound.buildRequest(
      { ...read({ contents }), messages: rest },
      { report, model: {} },
    );

    expect(body["contents"]).toEqual([
      ...contents.slice(0, 1),
      { role: "model", parts: [result("g"), result("f"), { text: "so" }] },
      ...contents.slice(2),
    ]);
  });
});

describe("a request for other styles", () => {
  test("has settings, tools, choices and formats", () => {
    expect(
      read({
        generationConfig: {
          temperature: 1,
          responseMimeType: "application/json",
          responseSchema: {
            type: "OBJECT",
            nullable: true,
            properties: { a: { type: "STRING", format: "enum", enum: ["x"] } },
            propertyOrdering: ["a"],
          },
          responseLogprobs: true,
          logprobs: 2,
          responseModalities: ["TEXT", "IMAGE"],
          thinkingConfig: { includeThoughts: true, thinkingBudget: 0 },
          stopSequences: ["s"],
        },
        tools: [{ functionDeclarations: [{ name: "f" }], googleSearch: {} }],
        toolConfig: { functionCallingConfig: { mode: "any", allowedFunctionNames: ["f"] } },
      }),
    ).toMatchObject({
      sampling: { temperature: 1 },
      format: {
        type: "json_schema",
        schema: { type: ["object", "null"], properties: { a: { type: "string", enum: ["x"] } } },
      },
      logprobs: { top: 2 },
      modalities: ["text", "image"],
      reasoning: { visible: true, budgetTokens: 0 },
      stop: ["s"],
      tools: [{ kind: "function", name: "f" }],
      webSearch: {},
      toolChoice: { mode: "named", name: "f", kind: "function" },
    });
  });

  test.each<[string, boolean]>([
    ["ANY", true],
    ["VALIDATED", false],
  ])("has a choice among functions: %s", (mode, required) => {
    const functionCallingConfig = { mode, allowedFunctionNames: ["f", "g"] };

    expect(read({ toolConfig: { functionCallingConfig } }).toolChoice).toEqual({
      mode: "allowed",
      required,
      tools: [
        { kind: "function", name: "f" },
        { kind: "function", name: "g" },
      ],
    });
  });

  test("reports lost fields by their client's names", () => {
    const { extra } = read({
      generationConfig: {
        speechConfig: { a: 1 },
        imageConfig: { imageSize: "2K", personGeneration: "ALLOW_ALL" },
      },
      safetySettings: [{ category: "a", threshold: "OFF" }],
      tools: [{ urlContext: {} }, { googleSearch: { timeRangeFilter: {} } }],
      toolConfig: { retrievalConfig: { a: 1 } },
    });
    const report = new LossReport();
    report.loseForeign(extra, "chat");

    expect(report.fields).toEqual([
      "safetySettings",
      "generationConfig.speechConfig",
      "toolConfig.retrievalConfig",
      "generationConfig.imageConfig.personGeneration",
      "tools.urlContext",
      "tools.googleSearch",
    ]);
  });

  test.each(["codeExecution", "fileSearch", "computerUse"])(
    "is refused by name for a tool that only this style's vendor runs: %s",
    (name) => {
      const { extra } = read({ tools: [{ [name]: {} }] });
      const report = new LossReport();

      expect(refusal(() => report.loseForeign(extra, "chat"))).toEqual([
        "not_carried",
        `tools.${name}`,
      ]);
    },
  );

  test("[A4.7-f] has no cached context of the vendor", () => {
    const { extra } = read({ cachedContent: "cachedContents/a" });
    const report = new LossReport();

    expect(refusal(() => report.loseForeign(extra, "chat"))).toEqual([
      "not_carried",
      "cachedContent",
    ]);
  });

  test("marks a signature without text as reasoning, which other styles can omit", () => {
    const { messages } = read({
      contents: [{ role: "model", parts: [{ text: "a" }, { text: "", thoughtSignature: "c2ln" }] }],
    });

    expect(messages[0]?.blocks).toMatchObject([
      { type: "text", text: "a" },
      { type: "reasoning", text: "", signature: { issuer: "gemini", value: "c2ln" } },
    ]);
  });

  test("reports no members without effect", () => {
    expect(read({ safetySettings: [], generationConfig: {}, labels: {} }).extra).toBeUndefined();
  });

  test("[A4.7-f] has a vendor's file as a reference, and a link as a link", () => {
    const sources = [
      "gs://b/a.png",
      "https://h.example/v1beta/files/a",
      "https://h.example/a.mp4",
    ].map(
      (fileUri) =>
        read({ contents: [{ parts: [{ fileData: { fileUri } }] }] }).messages[0]?.blocks[0],
    );

    expect(sources).toMatchObject([
      { type: "image", source: { kind: "reference" } },
      { source: { kind: "reference" } },
      { type: "video", source: { kind: "url", url: "https://h.example/a.mp4" } },
    ]);
  });
});

test("any input is read without an exception", () => {
  const odd: JsonObject[] = [
    { contents: [null, 1, "a", {}] as unknown as JsonObject[] },
    { contents: [{ parts: null }] },
    { contents: [{ parts: { text: "a" } }] },
    { contents: [{ parts: [{}] }] },
    { contents: [{ parts: [{ functionCall: null }, { functionResponse: {} }] }] },
    {
      contents: [{ parts: [{ functionCall: {} }, { fileData: {} }, { inlineData: { data: "" } }] }],
    },
    JSON.parse('{"contents":[{"parts":[{"text":"a","__proto__":{"x":1}}],"__proto__":1}]}'),
  ];
  for (const body of odd) {
    const facts = { model: "m", stream: false, maxOutputTokens: undefined, choices: 1 };
    const request = gemini.inbound.parseRequest(body, { ...facts, messages: 1, wantsUsage: true });

    expect(
      refusal(() => gemini.outbound.buildRequest(request, { report: new LossReport(), model: {} })),
    ).toBeUndefined();
  }
});
