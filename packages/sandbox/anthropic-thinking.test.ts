import { afterAll, beforeAll, expect, test } from "bun:test";
import { isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { blocksOf, eventsOf, FORECAST, messageTo, postMessages, say } from "./testing/messages.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const thinking = { type: "enabled", budget_tokens: 1_024 };
const question = "Weather in Oslo?";

/** The answer with a thought and a call, and the conversation that answers the call. */
async function interrupted(extra: JsonObject = {}) {
  const answer = await messageTo(sandbox, say(question, { thinking, tools: [FORECAST], ...extra }));
  const blocks = blocksOf(answer).filter(isJsonObject);
  return { blocks, goOn: (content: readonly Json[]) => goOn(blocks, content, extra) };
}

function goOn(
  blocks: readonly JsonObject[],
  content: readonly Json[],
  extra: JsonObject,
): JsonObject {
  const call = blocks.find((block) => block["type"] === "tool_use");
  return say("", {
    thinking,
    tools: [FORECAST],
    ...extra,
    messages: [
      { role: "user", content: question },
      { role: "assistant", content },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: call?.["id"] ?? "", content: "rain" }],
      },
    ],
  });
}

async function refusal(body: JsonObject): Promise<string> {
  const response = await postMessages(sandbox, body);
  const text = textAt(asObject(parseJson(await response.text())), "error", "message");
  return `${response.status} ${text}`;
}

test("reasoning comes first, is signed, and is charged as output", async () => {
  const { blocks } = await interrupted();
  const answer = await messageTo(sandbox, say("Say hi", { thinking }));

  expect(blocks.map((block) => block["type"])).toEqual(["thinking", "tool_use"]);
  expect(textAt(blocks[0], "thinking")).toStartWith("The user writes about");
  expect(textAt(blocks[0], "signature")).toMatch(/^E[\w+/]{80,}=*$/);
  const thought = Number(at(answer, "usage", "output_tokens_details", "thinking_tokens"));
  expect(thought).toBeGreaterThan(20);
  expect(at(answer, "usage", "output_tokens")).toBe(thought + 1);
});

test("streamed reasoning ends with its signature in a separate event", async () => {
  const events = await eventsOf(sandbox, say("Say hi", { thinking }));
  const kinds = events.map(({ data }) => textAt(data, "delta", "type") || textAt(data, "type"));

  const last = kinds.lastIndexOf("thinking_delta");
  expect(kinds.slice(last + 1, last + 5)).toEqual([
    "signature_delta",
    "content_block_stop",
    "content_block_start",
    "text_delta",
  ]);
  expect(kinds.filter((kind) => kind === "signature_delta")).toHaveLength(1);
});

test("reasoning that is returned unchanged continues the conversation", async () => {
  const { blocks, goOn } = await interrupted();
  const answer = await messageTo(sandbox, goOn(blocks));

  expect(blocksOf(answer)).toEqual([{ type: "text", text: "The get_weather tool returned: rain" }]);
});

test("changed reasoning is refused, and that of a later model is omitted", async () => {
  const { blocks, goOn } = await interrupted();
  const [thought, call] = blocks;
  const other = await interrupted({ model: "claude-haiku-4-5" });
  const wrong = "400 messages.1.content.0: Invalid `signature` in `thinking` block";
  const signature = textAt(thought, "signature");
  const flipped = `${signature.slice(0, 20)}${signature[20] === "A" ? "B" : "A"}${signature.slice(21)}`;

  const send = (changed: JsonObject) => refusal(goOn([{ ...thought, ...changed }, call ?? null]));
  expect(await send({})).toBe("200 ");
  expect(await send({ thinking: `${textAt(thought, "thinking")} Really.` })).toBe(wrong);
  expect(await send({ signature: flipped })).toBe(wrong);
  expect(await send({ signature: "" })).toBe(wrong);
  expect(await send({ signature: "ErUBCkYIARgCIkBhIGZvcmVpZ24gc2lnbmF0dXJl" })).toBe(wrong);
  expect(await refusal(goOn([other.blocks[0] ?? null, call ?? null]))).toBe("200 ");
});

test("reasoning without a signature is refused", async () => {
  const { blocks, goOn } = await interrupted();
  const [{ signature: _, ...thought } = {}, call] = blocks;

  expect(await refusal(goOn([thought, call ?? null]))).toBe(
    "400 messages.1.content.0.thinking.signature: Field required",
  );
});

test("the tool call must be returned with its reasoning, unless thinking is off", async () => {
  const { blocks, goOn } = await interrupted();
  const bare = goOn(blocks.slice(1));

  expect(await refusal(bare)).toStartWith(
    "400 messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
  );
  expect(await refusal({ ...bare, thinking: { type: "disabled" } })).toBe("200 ");
});

test("only an unfinished turn needs its reasoning", async () => {
  const messages = [
    { role: "user", content: "Say one" },
    { role: "assistant", content: "one" },
    { role: "user", content: "Say two" },
  ];

  expect(await refusal(say("", { thinking, messages }))).toBe("200 ");
});

test("reasoning of earlier turns costs nothing", async () => {
  const first = await messageTo(sandbox, say("Say one", { thinking }));
  const [thought, text] = blocksOf(first);
  const cost = async (content: readonly Json[]) => {
    const messages = [
      { role: "user", content: "Say one" },
      { role: "assistant", content },
      { role: "user", content: "Say two" },
    ];
    return at(await messageTo(sandbox, say("", { thinking, messages })), "usage", "input_tokens");
  };

  expect(await cost([thought ?? null, text ?? null])).toBe((await cost([text ?? null])) ?? null);
});

test("reasoning of earlier turns is kept on request, and the response has the number of removed ones", async () => {
  const first = await messageTo(sandbox, say("Say one", { thinking }));
  const content = blocksOf(first);
  const turn = (text: string) => [
    { role: "user", content: text },
    { role: "assistant", content },
  ];
  const messages = [...turn("Say one"), ...turn("Again"), { role: "user", content: "Say two" }];
  const ask = async (keep: Json) => {
    const edits = [{ type: "clear_thinking_20251015", keep }];
    const body = say("", { thinking, messages, context_management: { edits } });
    const answer = await messageTo(sandbox, body, {
      "anthropic-beta": "context-management-2025-06-27",
    });
    const applied = at(answer, "context_management", "applied_edits", 0);
    return [
      Number(at(answer, "usage", "input_tokens")),
      at(applied, "cleared_thinking_turns") ?? 0,
      Number(at(applied, "cleared_input_tokens") ?? 0),
    ] as const;
  };

  const [all, none] = await ask("all");
  const [one, cleared, tokens] = await ask({ type: "thinking_turns", value: 1 });
  expect([none, cleared]).toEqual([0, 1]);
  expect(tokens).toBeGreaterThan(20);
  expect(all - one).toBe(tokens);
});

test("reasoning after a tool result requires interleaved thinking", async () => {
  const { blocks, goOn } = await interrupted();
  const kinds = async (headers: Readonly<Record<string, string>>) =>
    blocksOf(await messageTo(sandbox, goOn(blocks), headers)).map((block) => textAt(block, "type"));

  expect(await kinds({})).toEqual(["text"]);
  expect(await kinds({ "anthropic-beta": "interleaved-thinking-2025-05-14" })).toEqual([
    "thinking",
    "text",
  ]);
});

test("reasoning of the newest models is hidden by default, and can still be returned", async () => {
  const newest = { model: "claude-opus-4-8", thinking: { type: "adaptive" } };
  const { blocks, goOn } = await interrupted(newest);
  const shown = await interrupted({
    ...newest,
    thinking: { type: "adaptive", display: "summarized" },
  });

  expect(blocks[0]).toMatchObject({ type: "thinking", thinking: "" });
  expect(textAt(shown.blocks[0], "thinking")).toStartWith("The user writes");
  expect(await refusal(goOn(blocks))).toBe("200 ");
  expect(await refusal(goOn([{ ...blocks[0], thinking: "Hm." }, blocks[1] ?? null]))).toStartWith(
    "400 ",
  );
});

test("hidden reasoning streams as a signature only, and is counted", async () => {
  const body = say("Say hi", { model: "claude-opus-4-8", thinking: { type: "adaptive" } });
  const events = await eventsOf(sandbox, body);
  const kinds = events
    .map(({ data }) => textAt(data, "delta", "type"))
    .filter((kind) => kind !== "");

  expect(kinds).toEqual(["signature_delta", "text_delta"]);
  expect(
    Number(at(events.at(-2)?.data, "usage", "output_tokens_details", "thinking_tokens")),
  ).toBeGreaterThan(100);
});

test("a higher effort causes more reasoning", async () => {
  const thought = async (effort: string) => {
    const body = say("Say hi", {
      model: "claude-opus-5",
      thinking: { type: "adaptive" },
      output_config: { effort },
    });
    return Number(
      at(await messageTo(sandbox, body), "usage", "output_tokens_details", "thinking_tokens"),
    );
  };
  const [low, high, max] = [await thought("low"), await thought("high"), await thought("max")];

  expect(low).toBeLessThan(high);
  expect(high).toBeLessThan(max);
});

test("a larger budget causes more reasoning", async () => {
  const thought = async (budget_tokens: number) => {
    const body = say("Say hi", {
      max_tokens: 20_000,
      thinking: { type: "enabled", budget_tokens },
    });
    const answer = await messageTo(sandbox, body);
    return Number(at(answer, "usage", "output_tokens_details", "thinking_tokens"));
  };
  const low = await thought(2_047);
  const medium = await thought(2_048);

  expect(await thought(1_024)).toBe(low);
  expect(medium).toBeGreaterThan(low);
  expect(await thought(8_191)).toBe(medium);
  expect(await thought(8_192)).toBeGreaterThan(medium);
});

test("a model with adaptive thinking thinks by default, but not about short requests", async () => {
  const kinds = async (text: string, extra: JsonObject = {}) =>
    blocksOf(await messageTo(sandbox, say(text, { model: "claude-sonnet-5", ...extra }))).map(
      (block) => textAt(block, "type"),
    );
  const long = `Say yes. ${"Consider the matter from all sides. ".repeat(5)}`;

  expect(await kinds("Say yes")).toEqual(["text"]);
  expect(await kinds(long)).toEqual(["thinking", "text"]);
  expect(await kinds(long, { thinking: { type: "disabled" } })).toEqual(["text"]);
});

test("encrypted reasoning is returned complete or not at all", async () => {
  const text = "ANTHROPIC_MAGIC_STRING_TRIGGER_REDACTED_THINKING_0123 Weather in Oslo?";
  const first = await messageTo(sandbox, say(text, { thinking, tools: [FORECAST] }));
  const blocks = blocksOf(first).filter(isJsonObject);
  const [redacted, call] = blocks;

  expect(redacted).toEqual({ type: "redacted_thinking", data: expect.stringMatching(/^E/) });
  expect(await refusal(goOn(blocks, blocks, {}))).toBe("200 ");
  expect(
    await refusal(
      goOn(blocks, [{ type: "redacted_thinking", data: "EmFueXRoaW5n" }, call ?? null], {}),
    ),
  ).toBe("400 messages.1.content.0: Invalid `data` in `redacted_thinking` block");
  const events = await eventsOf(sandbox, say(text, { thinking, tools: [FORECAST] }));
  expect(at(events[1]?.data, "content_block", "type")).toBe("redacted_thinking");
  expect(events[3]?.name).toBe("content_block_stop");
});

test("a response can be truncated within its reasoning", async () => {
  const body = say("Say hi", {
    model: "claude-opus-5",
    thinking: { type: "adaptive", display: "summarized" },
    max_tokens: 10,
  });
  const answer = await messageTo(sandbox, body);

  expect(answer).toMatchObject({
    content: [{ type: "thinking" }],
    stop_reason: "max_tokens",
    usage: { output_tokens: 10, output_tokens_details: { thinking_tokens: 10 } },
  });
});
