import { describe, expect, test } from "bun:test";
import type { Block, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { InboundStyle, MessagePlace } from "#core/style.ts";
import { inCallersWords, lossNames } from "./callers-field.ts";

type Places = readonly MessagePlace[];

function styleOf(conversationField: string, places?: Places): InboundStyle {
  const inbound = places === undefined ? {} : { placesOf: () => places };
  return { conversationField, inbound } as unknown as InboundStyle;
}

const INPUT = styleOf("input", [{ path: "instructions" }, { path: "input[0]" }]);
const refusal = (message: string, param?: string): GatewayError =>
  new GatewayError("not_carried", message, param === undefined ? {} : { param });

describe("a refused part of a conversation is named as the client wrote it", () => {
  test("in the error's field and in its message", () => {
    const error = refusal("'messages[1].content' is not supported.", "messages[1].content");
    const named = inCallersWords(error, INPUT, {});

    expect([named.code, named.param, named.message]).toEqual([
      "not_carried",
      "input[0].content",
      "'input[0].content' is not supported.",
    ]);
  });

  test("with the cause, the details and the time of the error", () => {
    const cause = new Error("why");
    const full = new GatewayError("invalid_request", "'messages' is wrong.", {
      param: "messages",
      retryAfterMs: 5,
      details: { seen: 1 },
      cause,
    });
    const named = inCallersWords(full, INPUT, {});

    expect(named).toMatchObject({ retryAfterMs: 5, details: { seen: 1 }, cause, param: "input" });
    const plain = inCallersWords(refusal("'messages' is wrong.", "messages"), INPUT, {});
    expect([plain.retryAfterMs, plain.details, plain.cause]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("by the field of the conversation if its position is unknown, and never in a sentence", () => {
    const text = "'messages[7]' and messages[0] of other messages are wrong.";
    const named = inCallersWords(refusal(text, "messages[7]"), INPUT, {});

    expect([named.param, named.message]).toEqual([
      "input",
      "'input' and messages[0] of other messages are wrong.",
    ]);
    expect(inCallersWords(refusal("x", "messages[0]"), styleOf("prompt"), {}).param).toBe("prompt");
  });

  test("also in a style of `messages` that has positions for them", () => {
    const style = styleOf("messages", [{ path: "system" }, { path: "messages[0]" }]);

    expect(inCallersWords(refusal("x", "messages[1]"), style, {}).param).toBe("messages[0]");
  });

  test("but not if it already has that name, is in another field, or is no refusal", () => {
    const named = refusal("x", "messages[1]");
    const ofOther = refusal("'messages'", "tools");
    const ofNone = refusal("'messages'");
    const failure = new GatewayError("upstream_failed", "x", { param: "messages[1]" });

    expect(inCallersWords(named, styleOf("messages"), {})).toBe(named);
    for (const error of [ofOther, ofNone, failure]) {
      expect(inCallersWords(error, INPUT, {})).toBe(error);
    }
  });
});

describe("a lost part of a conversation is named as the client wrote it", () => {
  const text = (value: string): Block => ({ type: "text", text: value });
  const picture: Block = { type: "image", source: { kind: "url", url: "https://a.example" } };
  const thought: Block = { type: "reasoning", text: "hm" };
  const [one, two, inner] = [text("one"), text("two"), text("inner")];
  const result: Block = { type: "tool_result", callId: "c", blocks: [text("more"), inner] };
  const first: Message = { role: "system", blocks: [text("Be brief.")] };
  const second: Message = { role: "user", blocks: [thought, one, picture, two, result] };
  const places: Places = [
    { path: "instructions" },
    {
      path: "input[0]",
      blocks: [
        { type: "text", path: "input[0].content[0]" },
        { type: "image", path: "input[0].content[1]" },
        { type: "text", path: "input[0].content[2]" },
        { type: "tool_result", path: "input[1]" },
      ],
    },
  ];
  const namesOf = (style: InboundStyle) =>
    lossNames(style, {}, { messages: [first, second] } as never);
  const name = namesOf(styleOf("input", places));

  test("a block by its own place, also if reasoning was inserted before it", () => {
    expect(name?.("messages.cache_control", one)).toBe("input[0].content[0]");
    expect(name?.("messages.cache_control", two)).toBe("input[0].content[2]");
    expect(name?.("messages.content", picture)).toBe("input[0].content[1]");
  });

  test("a part of a tool result by the result's position", () => {
    expect(name?.("messages.content", inner)).toBe("input[1]");
    expect(name?.("messages.content", result)).toBe("input[1]");
  });

  test("a member of an image with that member", () => {
    expect(name?.("messages.detail", picture)).toBe("input[0].content[1].detail");
    expect(name?.("messages.filename", picture)).toBe("input[0].content[1].filename");
  });

  test("a member of a message by the message's position, for each of its blocks", () => {
    expect(name?.("messages.name", second)).toBe("input[0].name");
    expect(name?.("messages.role", two)).toBe("input[0].role");
    expect(name?.("messages.audio", first)).toBe("instructions.audio");
  });

  test("a block without a position by its message's", () => {
    expect(name?.("messages.content", first.blocks[0])).toBe("instructions");
    expect(name?.("messages.content", thought)).toBe("input[0]");
  });

  test("by the conversation's field if the part, its message or its position is unknown", () => {
    expect(name?.("messages.content", undefined)).toBe("input.content");
    expect(name?.("messages.content", text("elsewhere"))).toBe("input.content");
    expect(namesOf(styleOf("prompt"))?.("messages.content", one)).toBe("prompt.content");
    expect(namesOf(styleOf("input", places.slice(0, 1)))?.("messages.content", one)).toBe(
      "input.content",
    );
  });

  test("but other fields, and fields of clients that write `messages`, keep the name", () => {
    expect(name?.("seed", undefined)).toBe("seed");
    expect(name?.("messages", undefined)).toBe("messages");
    expect(namesOf(styleOf("messages", places))).toBeUndefined();
  });

  test("and the positions are computed once per request, only after a loss", () => {
    let count = 0;
    const counting = {
      conversationField: "input",
      inbound: { placesOf: () => (count++, places) },
    } as unknown as InboundStyle;
    const naming = namesOf(counting);

    naming?.("seed", undefined);
    expect(count).toBe(0);
    naming?.("messages.content", one);
    naming?.("messages.content", two);
    expect(count).toBe(1);
  });
});
