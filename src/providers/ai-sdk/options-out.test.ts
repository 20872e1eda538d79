import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { inNewerTerms } from "./newer-prompt.ts";
import { buildOptions, type CallOptions } from "./options-out.ts";
import { readUrlPatterns } from "./supported-urls.ts";
import { traitsOf } from "./traits.ts";

const HELLO: Message = { role: "user", blocks: [{ type: "text", text: "Hello." }] };

const CALLING: Message = {
  role: "assistant",
  blocks: [{ type: "tool_call", id: "a", name: "f", arguments: "{}", kind: "function" }],
};

interface Built {
  readonly options: CallOptions;
  readonly lost: readonly string[];
}

async function build(
  request: Partial<ChatRequest>,
  packageName = "@ai-sdk/cohere",
  model: ModelTraits = {},
  version: "v3" | "v4" = "v3",
): Promise<Built> {
  const report = new LossReport();
  const urls = await readUrlPatterns(
    Promise.resolve({ "image/*": [/^https:\/\//g], "*": [/^s3:/] }),
  );
  const options = buildOptions(
    { model: "m", messages: [HELLO], stream: false, sampling: {}, ...request },
    { traits: traitsOf(packageName), report, urls },
    model,
    version,
  );
  return { options, lost: report.fields };
}

async function promptOf(
  blocks: readonly Block[],
  role: Message["role"] = "user",
  packageName?: string,
) {
  return (await build({ messages: [{ role, blocks }] }, packageName)).options.prompt;
}

async function refusal(request: Partial<ChatRequest>): Promise<string | undefined> {
  try {
    await build(request);
  } catch (cause) {
    expect(GatewayError.from(cause).code).toBe("not_carried");
    return GatewayError.from(cause).param;
  }
  return undefined;
}

describe("a request", () => {
  test("has the client's options in the package's terms", async () => {
    const { options, lost } = await build({
      sampling: {
        temperature: 0.5,
        topP: 0.9,
        topK: 5,
        presencePenalty: 1,
        frequencyPenalty: 2,
        seed: 3,
      },
      maxOutputTokens: 100,
      stop: ["END"],
      format: { type: "json_schema", name: "n", schema: { type: "object" } },
      tools: [
        {
          kind: "function",
          name: "f",
          description: "F.",
          parameters: { type: "object" },
          strict: true,
        },
      ],
      toolChoice: { mode: "named", name: "f", kind: "function" },
    });

    expect(options).toEqual({
      prompt: [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      presencePenalty: 1,
      frequencyPenalty: 2,
      seed: 3,
      stopSequences: ["END"],
      responseFormat: { type: "json", name: "n", schema: { type: "object" } },
      tools: [
        {
          type: "function",
          name: "f",
          description: "F.",
          inputSchema: { type: "object", properties: {} },
          strict: true,
        },
      ],
      toolChoice: { type: "tool", toolName: "f" },
      // Of this package's answers the usage is read off the vendor's own events.
      includeRawChunks: true,
    });
    expect(lost).toEqual([]);
  });

  test("has only the tools that its client allows", async () => {
    const tools = ["f", "g"].map((name) => ({ kind: "function", name }) as const);
    const allowed = {
      mode: "allowed",
      required: true,
      tools: [{ kind: "function", name: "g" }],
      extra: { responses: { allowed_tools: [{ type: "web_search" }] } },
    } as const;
    const { options, lost } = await build({ tools, toolChoice: allowed });

    expect(options.tools?.map(({ name }) => name)).toEqual(["g"]);
    expect(options.toolChoice).toEqual({ type: "required" });
    expect(lost).toEqual(["tool_choice.allowed_tools"]);
  });

  test("wraps free-text tools, under a name that vendors accept and responses are recognised by", async () => {
    const { options } = await build({ tools: [{ kind: "custom", name: "apply.patch" }] });

    expect(options.tools).toMatchObject([
      { name: "apply_x2e_patch_xtext_", inputSchema: { required: ["input"] } },
    ]);
  });

  test("has an instruction for JSON if a package needs a schema", async () => {
    const inWords = await build({ format: { type: "json" } }, "@ai-sdk/anthropic");
    const inTerms = await build({ format: { type: "json" } });

    expect(inWords.options.prompt[0]).toMatchObject({
      role: "system",
      content: expect.stringContaining("JSON object"),
    });
    expect(inWords.options.responseFormat).toBeUndefined();
    expect(inTerms.options.responseFormat).toEqual({ type: "json" });
  });

  test("declares the tools of earlier calls if a package would drop the calls", async () => {
    const messages: Message[] = [
      HELLO,
      {
        role: "assistant",
        blocks: [{ type: "tool_call", id: "a", name: "f", arguments: "{}", kind: "function" }],
      },
    ];
    const names = async (packageName: string): Promise<unknown> =>
      (await build({ messages }, packageName)).options.tools?.map(({ name }) => name);

    expect(await names("@ai-sdk/amazon-bedrock")).toEqual(["f"]);
    expect(await names("@ai-sdk/cohere")).toBeUndefined();
  });

  test("reports lost tuning options", async () => {
    const { lost } = await build({
      logprobs: {},
      webSearch: {},
      metadata: {},
      user: "u",
      parallelToolCalls: false,
      extra: { chat: { service_tier: "flex" } },
    });

    expect(lost.toSorted()).toEqual(
      [
        "logprobs",
        "metadata",
        "parallel_tool_calls",
        "service_tier",
        "user",
        "web_search_options",
      ].toSorted(),
    );
  });

  test("uses its package's own options", async () => {
    const { options, lost } = await build(
      { user: "u", parallelToolCalls: false, tools: [{ kind: "function", name: "f" }] },
      "@ai-sdk/anthropic",
    );

    expect(options.providerOptions).toEqual({
      anthropic: { metadata: { userId: "u" }, disableParallelToolUse: true },
    });
    expect(lost).toEqual([]);
  });

  test("is refused if a loss would change the result", async () => {
    expect(await refusal({ choices: 2 })).toBe("n");
    expect(await refusal({ modalities: ["text", "audio"] })).toBe("modalities");
    expect(await refusal({ choices: 1, modalities: ["text"] })).toBeUndefined();
  });
});

describe("a conversation", () => {
  test("begins with its instructions, and keeps later ones in place", async () => {
    const said = (role: Message["role"], text: string): Message => ({
      role,
      blocks: [{ type: "text", text }],
    });
    const { options } = await build({
      messages: [
        said("system", "A"),
        said("developer", "B"),
        said("user", "C"),
        said("system", "D"),
      ],
    });

    expect(options.prompt).toEqual([
      { role: "system", content: "A" },
      { role: "system", content: "B" },
      { role: "user", content: [{ type: "text", text: "C" }] },
      { role: "user", content: [{ type: "text", text: "<system>\nD\n</system>" }] },
    ]);
  });

  test("has the results of one turn's calls in one turn, each with its tool's name", async () => {
    const result = (callId: string): Message => ({
      role: "tool",
      blocks: [{ type: "tool_result", callId, blocks: [{ type: "text", text: callId }] }],
    });
    const call = (id: string, args: string): Block => ({
      type: "tool_call",
      id,
      name: `tool_${id}`,
      arguments: args,
      kind: "function",
    });
    const { options } = await build({
      messages: [
        HELLO,
        { role: "assistant", blocks: [call("a", '{"x":1}'), call("b", "cut sh")] },
        result("a"),
        result("b"),
      ],
    });

    expect(options.prompt.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "a", toolName: "tool_a", input: { x: 1 } },
          { type: "tool-call", toolCallId: "b", toolName: "tool_b", input: { _raw: "cut sh" } },
        ],
      },
      {
        role: "tool",
        content: ["a", "b"].map((id) => ({
          type: "tool-result",
          toolCallId: id,
          toolName: `tool_${id}`,
          output: { type: "text", value: id },
        })),
      },
    ]);
  });

  test("shows the model that a tool failed", async () => {
    const result: Block = {
      type: "tool_result",
      callId: "a",
      blocks: [{ type: "text", text: "no such file" }],
      isError: true,
    };
    const { options } = await build({ messages: [CALLING, { role: "tool", blocks: [result] }] });

    expect(options.prompt[1]).toMatchObject({
      content: [{ output: { type: "error-text", value: "Error: no such file" } }],
    });
  });

  test("shows the result of an unknown tool call as the user's text", async () => {
    const blocks: Block[] = [{ type: "text", text: "a map" }, png];
    const result: Block = { type: "tool_result", callId: "x", blocks };
    const messages: Message[] = [HELLO, { role: "tool", blocks: [result] }];
    const { options } = await build({ messages }, "@ai-sdk/google");

    expect(options.prompt[1]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "The result of an earlier tool call:" },
        { type: "text", text: "a map" },
        { type: "file", data: "iVBORw0KGgoAAA", mediaType: "image/png" },
      ],
    });
  });

  const png = { type: "image", source: { kind: "data", base64: "iVBORw0KGgoAAA" } } as const;
  test("has tool results in the form of each version", async () => {
    const built = await build(
      {
        messages: [
          CALLING,
          {
            role: "tool",
            blocks: [
              { type: "tool_result", callId: "a", blocks: [{ type: "text", text: "t" }, png] },
            ],
          },
          {
            role: "user",
            blocks: [png, { type: "image", source: { kind: "url", url: "https://x.test/y" } }],
          },
        ],
      },
      "@ai-sdk/google",
    );

    expect(built.options.prompt).toMatchObject([
      {},
      {
        content: [
          {
            output: {
              type: "content",
              value: [
                { type: "text", text: "t" },
                { type: "image-data", data: "iVBORw0KGgoAAA", mediaType: "image/png" },
              ],
            },
          },
        ],
      },
      {
        content: [
          { type: "file", mediaType: "image/png", data: "iVBORw0KGgoAAA" },
          { type: "file", mediaType: "image/*", data: new URL("https://x.test/y") },
        ],
      },
    ]);
    expect(inNewerTerms(built.options)).toMatchObject({
      prompt: [
        {},
        {
          content: [
            {
              output: {
                value: [
                  { type: "text", text: "t" },
                  {
                    type: "file",
                    mediaType: "image/png",
                    data: { type: "data", data: "iVBORw0KGgoAAA" },
                  },
                ],
              },
            },
          ],
        },
        {
          content: [
            { type: "file", data: { type: "data", data: "iVBORw0KGgoAAA" } },
            { type: "file", data: { type: "url", url: new URL("https://x.test/y") } },
          ],
        },
      ],
    });
  });

  const links: [string, Block][] = [
    [
      "a link that the vendor does not follow",
      { type: "image", source: { kind: "url", url: "http://10.0.0.1/x" } },
    ],
    [
      "a link of another scheme",
      { type: "image", source: { kind: "url", url: "file:///etc/passwd" } },
    ],
    ["an invalid link", { type: "image", source: { kind: "url", url: "nowhere" } }],
    ["a link to a file", { type: "file", source: { kind: "url", url: "https://x.test/y.pdf" } }],
    ["another vendor's file", { type: "file", source: { kind: "reference", id: "file-1" } }],
    [
      "a link in a tool's result",
      {
        type: "tool_result",
        callId: "a",
        blocks: [{ type: "image", source: { kind: "url", url: "http://10.0.0.1/x" } }],
      },
    ],
  ];
  test.each(links)(
    "with %s is refused, since some packages would follow the link from here",
    async (_what, block) => {
      expect(await refusal({ messages: [{ role: "user", blocks: [block] }] })).toBe("messages[0]");
    },
  );

  const media: [Block, string][] = [
    [
      { type: "image", mediaType: "image/png", source: { kind: "data", base64: "/9j/4AAQ" } },
      "image/jpeg",
    ],
    [{ type: "image", source: { kind: "data", base64: "xxxx" } }, "image/*"],
    [{ type: "audio", mediaType: "mp3", source: { kind: "data", base64: "xx" } }, "audio/mpeg"],
    [{ type: "audio", mediaType: "wav", source: { kind: "data", base64: "xx" } }, "audio/wav"],
    [
      { type: "file", filename: "a.PDF", source: { kind: "data", base64: "xx" } },
      "application/pdf",
    ],
    [
      { type: "file", filename: "a", source: { kind: "data", base64: "xx" } },
      "application/octet-stream",
    ],
    [{ type: "video", source: { kind: "url", url: "s3://bucket/x" } }, "video/mp4"],
  ];
  test.each(media)("has the type of every file: %j", async (block, expected) => {
    expect(await promptOf([block])).toMatchObject([{ content: [{ mediaType: expected }] }]);
  });
});

describe("reasoning of an earlier turn", () => {
  const thought = (issuer: string, value: string): Block => ({
    type: "reasoning",
    text: "hm",
    signature: { issuer, value },
  });
  const cases: [string, string, Block, object | undefined][] = [
    [
      "goes back with its proof",
      "@ai-sdk/anthropic",
      thought("messages", "s"),
      { anthropic: { signature: "s" } },
    ],
    [
      "goes back where another reaches the same models",
      "@ai-sdk/amazon-bedrock",
      thought("messages", "s"),
      { bedrock: { signature: "s" } },
    ],
    [
      "goes back hidden where it was",
      "@ai-sdk/amazon-bedrock",
      thought("messages", "redacted:s"),
      { bedrock: { redactedData: "s" } },
    ],
    [
      "goes back to its family",
      "@ai-sdk/google",
      thought("gemini", "s"),
      { google: { thoughtSignature: "s" } },
    ],
    [
      "goes back as the package wrote it",
      "@ai-sdk/openai",
      thought("ai-sdk", '{"openai":{"itemId":"i"}}'),
      { openai: { itemId: "i" } },
    ],
    ["stays away from another family", "@ai-sdk/anthropic", thought("gemini", "s"), undefined],
    [
      "stays away without a proof",
      "@ai-sdk/anthropic",
      { type: "reasoning", text: "hm" },
      undefined,
    ],
    [
      "stays away with what is no proof",
      "@ai-sdk/anthropic",
      thought("ai-sdk", "no json"),
      undefined,
    ],
  ];
  test.each(cases)("%s (%s)", async (_what, packageName, block, expected) => {
    const { options, lost } = await build(
      { messages: [HELLO, { role: "assistant", blocks: [block, { type: "text", text: "Hi." }] }] },
      packageName,
    );
    const content = options.prompt[1]?.content;

    expect(
      Array.isArray(content) && content.find(({ type }) => type === "reasoning")?.providerOptions,
    ).toEqual(expected as never);
    expect(lost).toEqual(expected === undefined ? ["reasoning"] : []);
  });
});

describe("a reasoning option", () => {
  const BUDGET: ModelTraits = { reasoningControls: { budget: { minTokens: 1_024 } } };
  const EFFORTS: ModelTraits = { reasoningControls: { efforts: ["low", "medium", "high"] } };
  const cases: [string, ChatRequest["reasoning"], ModelTraits, object | undefined][] = [
    [
      "@ai-sdk/anthropic",
      { budgetTokens: 2_000 },
      BUDGET,
      { anthropic: { thinking: { type: "enabled", budgetTokens: 2_000 } } },
    ],
    [
      "@ai-sdk/anthropic",
      { effort: "high" },
      EFFORTS,
      { anthropic: { thinking: { type: "adaptive", display: "summarized" }, effort: "high" } },
    ],
    [
      "@ai-sdk/anthropic",
      { enabled: false },
      {},
      { anthropic: { thinking: { type: "disabled" } } },
    ],
    [
      "@ai-sdk/cohere",
      { budgetTokens: 500 },
      {},
      { cohere: { thinking: { type: "enabled", tokenBudget: 500 } } },
    ],
    ["@ai-sdk/cohere", { effort: "none" }, {}, { cohere: { thinking: { type: "disabled" } } }],
    [
      "@ai-sdk/google",
      { budgetTokens: -1 },
      BUDGET,
      { google: { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } } },
    ],
    [
      "@ai-sdk/google",
      { effort: "low" },
      EFFORTS,
      { google: { thinkingConfig: { thinkingLevel: "low", includeThoughts: true } } },
    ],
    [
      "@ai-sdk/openai",
      { effort: "low", visible: true },
      EFFORTS,
      { openai: { reasoningEffort: "low", reasoningSummary: "auto" } },
    ],
    [
      "@ai-sdk/amazon-bedrock",
      { effort: "low" },
      {},
      { bedrock: { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } } },
    ],
  ];
  test.each(cases)("is translated for %s: %j", async (packageName, reasoning, model, expected) => {
    const { options, lost } = await build({ ...(reasoning && { reasoning }) }, packageName, model);

    expect(options.providerOptions).toEqual(expected as never);
    expect(lost).toEqual([]);
  });

  test("counts towards the client's output limit", async () => {
    const { options } = await build(
      { reasoning: { budgetTokens: 2_000 }, maxOutputTokens: 5_000 },
      "@ai-sdk/anthropic",
      BUDGET,
    );

    // The package adds the two up again.
    expect(options.maxOutputTokens).toBe(3_000);
  });

  test("without a number of tokens leaves some for the text", async () => {
    const { options, lost } = await build(
      { reasoning: { effort: "high" }, maxOutputTokens: 4_000 },
      "@ai-sdk/anthropic",
      BUDGET,
    );

    expect(options.providerOptions).toEqual({
      anthropic: { thinking: { type: "enabled", budgetTokens: 3_200 } },
    });
    expect([options.maxOutputTokens, lost]).toEqual([800, []]);
  });

  const impossible: [string, Partial<ChatRequest>][] = [
    ["there is no room for it", { maxOutputTokens: 1_500 }],
    [
      "the answer is begun already",
      { messages: [HELLO, { role: "assistant", blocks: [{ type: "text", text: "Well" }] }] },
    ],
    [
      "the reasoning of the last calls is unknown",
      {
        messages: [
          HELLO,
          {
            role: "assistant",
            blocks: [{ type: "tool_call", id: "a", name: "f", arguments: "{}", kind: "function" }],
          },
          { role: "tool", blocks: [{ type: "tool_result", callId: "a", blocks: [] }] },
        ],
      },
    ],
  ];
  test.each(impossible)("is omitted if %s, since it would be refused", async (_what, request) => {
    const { options, lost } = await build(
      { reasoning: { budgetTokens: 2_000 }, ...request },
      "@ai-sdk/anthropic",
      BUDGET,
    );

    expect(options.providerOptions).toBeUndefined();
    expect(options.maxOutputTokens).toBe(request.maxOutputTokens as never);
    expect(lost).toEqual(["reasoning"]);
  });

  test("is reported as lost unless the newer interface supports it", async () => {
    const request = { reasoning: { effort: "high" } };

    expect((await build(request, "@ai-sdk/anything")).lost).toEqual(["reasoning"]);
    const newer = await build(request, "@ai-sdk/anything", {}, "v4");
    expect([newer.lost, newer.options.reasoning]).toEqual([[], "high"]);
  });
});
