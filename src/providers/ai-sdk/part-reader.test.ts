import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { SEED } from "#test/seed.ts";
import { PartReader } from "./part-reader.ts";
import { traitsOf } from "./traits.ts";

const FINISH = {
  type: "finish",
  finishReason: { unified: "stop", raw: "end" },
  usage: {
    inputTokens: { total: 9, noCache: 4, cacheRead: 3, cacheWrite: 2 },
    outputTokens: { total: 8, text: 5, reasoning: 3 },
  },
};

function read(parts: readonly unknown[], packageName = "@ai-sdk/cohere"): readonly ChatEvent[] {
  const reader = new PartReader(traitsOf(packageName));
  return [...parts.flatMap((part) => reader.read(part)), ...reader.end(false)];
}

/** `text:Hello`, `reasoning:...!proof`, `tool_call:name(arguments)`: a block each, in their order. */
function blocks(events: readonly ChatEvent[]): string[] {
  const told: string[] = [];
  for (const event of events) {
    const last = told.length - 1;
    if (event.type === "open") {
      const { block } = event;
      told.push(
        block.type === "tool_call" ? `${block.kind} ${block.name} ${block.id}:` : `${block.type}:`,
      );
    }
    if (event.type === "delta") told[last] += event.text;
    if (event.type === "cite") told[last] += `<${event.citation.url}>`;
    if (event.type === "close") told[last] += event.signature ? `!${event.signature.issuer}` : "";
  }
  return told;
}

/** No two blocks are open at once, and what is opened is closed. */
function isInOrder(events: readonly ChatEvent[]): boolean {
  let open = 0;
  for (const event of events) {
    if (event.type === "open" && ++open > 1) return false;
    if ((event.type === "delta" || event.type === "cite") && open !== 1) return false;
    if (event.type === "close" && --open < 0) return false;
  }
  return open === 0 && events[0]?.type === "start";
}

const text = (id: string, ...deltas: string[]): object[] => [
  { type: "text-start", id },
  ...deltas.map((delta) => ({ type: "text-delta", id, delta })),
];

describe("the parts of a response", () => {
  test("become consecutive blocks, with usage and finish reason at the end", () => {
    const events = read([
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r1", modelId: "m", timestamp: new Date(5_000) },
      ...text("0", "Hel", "lo"),
      { type: "text-end", id: "0" },
      FINISH,
    ]);

    expect(events).toEqual([
      { type: "start", id: "r1", model: "m", createdAt: 5_000 },
      { type: "open", choice: 0, block: { type: "text" } },
      { type: "delta", choice: 0, text: "Hel" },
      { type: "delta", choice: 0, text: "lo" },
      { type: "close", choice: 0 },
      { type: "finish", choice: 0, reason: "stop" },
      {
        type: "usage",
        usage: {
          inputTokens: 9,
          cachedInputTokens: 3,
          cacheWriteTokens: 2,
          audioInputTokens: 0,
          outputTokens: 8,
          reasoningTokens: 3,
          audioOutputTokens: 0,
          isEstimated: false,
        },
      },
    ]);
  });

  const orders: [string, object[], string[]][] = [
    [
      "calls that come in turns wait for each other",
      [
        { type: "tool-input-start", id: "a", toolName: "f" },
        { type: "tool-input-start", id: "b", toolName: "g" },
        { type: "tool-input-delta", id: "b", delta: '{"y":' },
        { type: "tool-input-delta", id: "a", delta: '{"x":1}' },
        { type: "tool-input-delta", id: "b", delta: "2}" },
        { type: "tool-call", toolCallId: "b", toolName: "g", input: '{"y":2}' },
        { type: "tool-call", toolCallId: "a", toolName: "f", input: '{"x":1}' },
      ],
      ['function f a:{"x":1}', 'function g b:{"y":2}'],
    ],
    [
      "a call whose input arrived at once has it as well",
      [{ type: "tool-call", toolCallId: "a", toolName: "f", input: '{"x":1}' }],
      ['function f a:{"x":1}'],
    ],
    [
      "a call that only ended is a call",
      [
        { type: "tool-input-start", id: "a", toolName: "f" },
        { type: "tool-input-delta", id: "a", delta: "{}" },
        { type: "tool-input-end", id: "a" },
        ...text("0", "and"),
      ],
      ["function f a:{}", "text:and"],
    ],
    [
      "reasoning that is ended only at the very end does not hold up the text",
      [
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-delta", id: "r", delta: "hm" },
        ...text("t", "So."),
        { type: "reasoning-end", id: "r" },
      ],
      ["reasoning:hm", "text:So."],
    ],
    [
      "text after a call is a separate block",
      [
        ...text("t", "one"),
        { type: "tool-call", toolCallId: "a", toolName: "f", input: "{}" },
        { type: "text-delta", id: "t", delta: "two" },
      ],
      ["text:one", "function f a:{}", "text:two"],
    ],
    [
      "empty blocks are omitted",
      [...text("t"), { type: "text-end", id: "t" }, ...text("u", "", "x")],
      ["text:x"],
    ],
    [
      "the activity of the vendor's own tools is omitted",
      [
        { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true },
        { type: "tool-input-delta", id: "s", delta: "{}" },
        {
          type: "tool-call",
          toolCallId: "s",
          toolName: "web_search",
          input: "{}",
          providerExecuted: true,
        },
        { type: "tool-result", toolCallId: "s", toolName: "web_search", result: [] },
        ...text("t", "Found."),
      ],
      ["text:Found."],
    ],
    [
      "sources hang on the text that they came with, before it or after it",
      [
        { type: "source", sourceType: "url", id: "1", url: "https://a.test", title: "A" },
        ...text("t", "x"),
        { type: "text-end", id: "t" },
        { type: "source", sourceType: "url", id: "2", url: "https://b.test" },
        { type: "source", sourceType: "document", id: "3", mediaType: "text/plain", title: "C" },
      ],
      ["text:<https://a.test>x<https://b.test>"],
    ],
    [
      "citations of the newer interface do as well",
      [
        ...text("t", "x"),
        {
          type: "text-end",
          id: "t",
          citations: [
            { source: { sourceType: "url", url: "https://c.test" }, startIndex: 0, endIndex: 1 },
          ],
        },
      ],
      ["text:x<https://c.test>"],
    ],
    [
      "images are returned, by either version of the interface",
      [
        { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
        { type: "file", mediaType: "application/pdf", data: "AQID" },
      ],
      ["image:AQID", "image:AQID"],
    ],
    [
      "free text for a tool is unwrapped",
      [
        { type: "tool-input-start", id: "a", toolName: "patch_xtext_" },
        { type: "tool-input-delta", id: "a", delta: '{"input":"*** Be' },
        { type: "tool-input-delta", id: "a", delta: 'gin"}' },
        { type: "tool-call", toolCallId: "a", toolName: "patch_xtext_", input: "" },
      ],
      ["custom patch a:*** Begin"],
    ],
  ];
  test.each(orders)("%s", (_what, parts, expected) => {
    const events = read([...parts, FINISH]);

    expect(blocks(events)).toEqual(expected);
    expect(isInOrder(events)).toBe(true);
  });

  const proofs: [string, string, object, string][] = [
    [
      "@ai-sdk/anthropic",
      "a signature",
      { anthropic: { signature: "s" } },
      "reasoning:hm!messages",
    ],
    [
      "@ai-sdk/amazon-bedrock",
      "hidden thoughts",
      { bedrock: { redactedData: "s" } },
      "reasoning:hm!messages",
    ],
    ["@ai-sdk/google", "a signature", { google: { thoughtSignature: "s" } }, "reasoning:hm!gemini"],
    [
      "@ai-sdk/openai",
      "encrypted reasoning",
      { openai: { reasoningEncryptedContent: "s" } },
      "reasoning:hm!ai-sdk",
    ],
    ["@ai-sdk/openai", "nothing but a name", { openai: { itemId: "s" } }, "reasoning:hm"],
  ];
  test.each(proofs)(
    "%s sign their reasoning by %s",
    (packageName, _what, providerMetadata, expected) => {
      const events = read(
        [
          { type: "reasoning-start", id: "r" },
          { type: "reasoning-delta", id: "r", delta: "hm" },
          { type: "reasoning-end", id: "r", providerMetadata },
          FINISH,
        ],
        packageName,
      );

      expect(blocks(events)).toEqual([expected]);
    },
  );

  test("begin with the first block, so that another upstream may answer until then", () => {
    const reader = new PartReader(traitsOf("x"));

    expect(reader.read({ type: "response-metadata", id: "r" })).toEqual([]);
    expect(reader.read({ type: "text-start", id: "0" })).toEqual([]);
    expect(reader.read({ type: "text-delta", id: "0", delta: "x" })).toHaveLength(3);
  });
});

describe("the end of a response", () => {
  const reasons: [object, string][] = [
    [{ unified: "stop", raw: "stop" }, "stop"],
    [{ unified: "length", raw: "length" }, "length"],
    [{ unified: "content-filter", raw: "x" }, "content_filter"],
    [{ unified: "interrupted", raw: "x" }, "other"],
    [{ unified: "other", raw: "x" }, "other"],
  ];
  test.each(reasons)("%j becomes %s", (finishReason, expected) => {
    const finish = read([...text("0", "x"), { ...FINISH, finishReason }]).find(
      (event) => event.type === "finish",
    );

    expect(finish?.reason).toBe(expected as never);
  });

  test("is a tool call if tools were called, even if the vendor reports another reason", () => {
    const call = { type: "tool-call", toolCallId: "a", toolName: "f", input: "{}" };

    expect(read([call, FINISH]).find((event) => event.type === "finish")?.reason).toBe(
      "tool_calls",
    );
  });

  const cuts: [string, object[]][] = [
    ["is missing", []],
    [
      "is made up by the package",
      [{ ...FINISH, finishReason: { unified: "other", raw: undefined } }],
    ],
    ["is a failure", [{ ...FINISH, finishReason: { unified: "error", raw: "x" } }]],
    ["is an error", [{ type: "error", error: { message: "no" } }]],
    ["is an error as text", [{ type: "error", error: "no" }]],
    ["is an error of the package", [{ type: "error", error: new TypeError("no") }]],
  ];
  test.each(cuts)("that %s is not an end", (_what, parts) => {
    expect(() => read([...text("0", "x"), ...parts])).toThrow(GatewayError);
  });

  test("without usage is counted by the gateway", () => {
    const finish = { ...FINISH, usage: { inputTokens: {}, outputTokens: {} } };

    expect(read([...text("0", "x"), finish]).map(({ type }) => type)).not.toContain("usage");
  });
});

test("for any parts, blocks never overlap, and only the gateway's own errors are thrown", () => {
  const id = fc.constantFrom("a", "b", 3, null, undefined);
  const any = fc.oneof(
    fc.string(),
    fc.constant(null),
    fc.integer(),
    fc.constant({}),
    fc.constant([]),
  );
  const part = fc.record(
    {
      type: fc.constantFrom(
        "text-start",
        "text-delta",
        "text-end",
        "reasoning-start",
        "reasoning-delta",
        "reasoning-end",
        "tool-input-start",
        "tool-input-delta",
        "tool-input-end",
        "tool-call",
        "tool-result",
        "source",
        "file",
        "response-metadata",
        "raw",
        "ping",
        "finish",
        "nonsense",
      ),
      id,
      toolCallId: id,
      toolName: fc.constantFrom("f", "g_xtext_", "", null),
      delta: fc.oneof(fc.constantFrom("", "x", '{"input":"y"}'), any),
      input: fc.oneof(fc.constantFrom("{}", '{"input":"z"}'), any),
      url: any,
      data: any,
      mediaType: fc.oneof(fc.constantFrom("image/png", "audio/wav"), any),
      providerMetadata: fc.oneof(fc.constant({ anthropic: { signature: "s" } }), any),
      finishReason: any,
      usage: any,
      citations: any,
      timestamp: any,
    },
    { requiredKeys: ["type"] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(part, any)), (parts) => {
      try {
        return isInOrder(read([...parts, ...text("last", "x"), FINISH], "@ai-sdk/anthropic"));
      } catch (cause) {
        return cause instanceof GatewayError;
      }
    }),
    { seed: SEED, numRuns: 400 },
  );
});
