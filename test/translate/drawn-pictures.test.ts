import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { OutboundStyle, TextStyle } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ChatDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";

const DRAWS: ChatDialect = { pictures: true };
const ASKED = { role: "user", content: "hi" };
const CONTENTS = [{ role: "user", parts: [{ text: "hi" }] }];
const url = "data:image/png;base64,AAAA";
const IMAGE = { type: "image_url", image_url: { url } };
const INLINE = { inlineData: { mimeType: "image/png", data: "AAAA" } };
const ITEM = { id: "ig_1", type: "image_generation_call", status: "completed", result: "AAAA" };

function read(style: TextStyle, fields: JsonObject): ChatRequest {
  const body = { model: "m", ...fields };
  return style.inbound.parseRequest(body, style.inbound.readRequest(body, { model: "m" }));
}

function write(
  request: ChatRequest,
  style: OutboundStyle,
  dialect: ChatDialect = {},
  model: ModelTraits = {},
): { body: JsonObject; lost: readonly string[] } {
  const report = new LossReport();
  const body = style.outbound.buildRequest(request, { report, model, dialect: { ...dialect } });
  return { body: JSON.parse(JSON.stringify(body)) as JsonObject, lost: report.fields };
}

describe("image options", () => {
  const ofChat = (fields: JsonObject) => read(chat, { messages: [ASKED], ...fields });
  const ofNative = (imageConfig: JsonObject) =>
    read(gemini, { contents: CONTENTS, generationConfig: { imageConfig } });
  const requested = { aspect_ratio: "3:2", image_size: "2K" };

  test.each<[string, JsonObject]>([
    ["in a separate member", { image_config: requested }],
    ["in a vendor's object", { extra_body: { brand: { image_config: requested } } }],
    ["in one that a client wrote into the body", { brand: { image_config: requested } }],
  ])("of a chat client include %s", (_, fields) => {
    expect(ofChat(fields).imageOptions).toEqual({ aspectRatio: "3:2", size: "2K" });
    expect(write(ofChat(fields), gemini)).toMatchObject({
      body: { generationConfig: { imageConfig: { aspectRatio: "3:2", imageSize: "2K" } } },
      lost: [],
    });
    expect(write(ofChat(fields), chat).body).toMatchObject(fields);
  });

  test("that are unknown go back unchanged, and are reported for other styles", () => {
    const config = { ...requested, strength: 0.5 };
    const native = { aspectRatio: "3:2", imageOutputOptions: { mimeType: "image/png" } };

    expect(write(ofChat({ image_config: config }), chat)).toMatchObject({
      body: { image_config: config },
      lost: [],
    });
    expect(write(ofChat({ image_config: config }), gemini).lost).toEqual(["image_config"]);
    expect(write(ofNative(native), gemini)).toMatchObject({
      body: { generationConfig: { imageConfig: native } },
      lost: [],
    });
    expect(write(ofNative(native), chat, DRAWS)).toMatchObject({
      body: { image_config: { aspect_ratio: "3:2" } },
      lost: ["generationConfig.imageConfig.imageOutputOptions"],
    });
  });

  test("are not sent to an upstream without images, and the client gets a report", () => {
    const { imageOptions } = ofNative({ aspectRatio: "3:2" });
    const request: ChatRequest = {
      model: "m",
      messages: [{ role: "user", blocks: [{ type: "text", text: "hi" }] }],
      stream: false,
      sampling: {},
      maxOutputTokens: 99,
      ...(imageOptions && { imageOptions }),
    };

    for (const style of [chat, responses, messages]) {
      const { body, lost } = write(request, style);
      expect([style.id, lost]).toEqual([style.id, ["image_config"]]);
      expect(JSON.stringify(body)).not.toContain("3:2");
    }
  });
});

describe("a generated image in the history", () => {
  const drawn = { role: "assistant", content: "There.", images: [IMAGE] };
  const ofChat = (message: JsonObject) => read(chat, { messages: [ASKED, message, ASKED] });
  const ofNative = () =>
    read(gemini, {
      contents: [...CONTENTS, { role: "model", parts: [{ text: "There." }, INLINE] }],
    });

  test("goes back to an upstream of the chat style unchanged", () => {
    const odd = { ...drawn, images: [{ ...IMAGE, index: 0 }] };

    expect(write(ofChat(odd), chat).body["messages"]).toEqual([ASKED, odd, ASKED]);
  });

  test("is a separate message without text", () => {
    const silent = { role: "assistant", content: null, images: [IMAGE] };

    expect(write(ofChat(silent), chat).body["messages"]).toEqual([ASKED, silent, ASKED]);
  });

  test("keeps its position beside images in the text", () => {
    const both = { ...drawn, content: [{ type: "text", text: "There." }, IMAGE] };

    expect(write(ofChat(both), chat).body["messages"]).toEqual([ASKED, both, ASKED]);
  });

  test.each<[string, JsonObject]>([
    ["are not images", { images: ["odd"] }],
    ["are something else besides", { images: [IMAGE, { type: "new" }] }],
  ])("is unchanged if images %s", (_, odd) => {
    const message = { ...drawn, ...odd };

    expect(write(ofChat(message), chat).body["messages"]).toEqual([ASKED, message, ASKED]);
    expect(write(ofChat(message), gemini).lost).toEqual(["messages.images"]);
  });

  test("reaches those vendors of the chat style that accept it", () => {
    expect(write(ofNative(), chat, DRAWS)).toMatchObject({
      body: { messages: [ASKED, drawn] },
      lost: [],
    });
    expect(write(ofNative(), chat)).toMatchObject({
      body: { messages: [ASKED, { role: "assistant", content: "There." }] },
      lost: ["messages.image"],
    });
  });

  test("is an item of the responses style, which goes back unchanged", () => {
    const request = read(responses, { input: [ASKED, ITEM, ASKED] });

    expect(write(request, responses).body["input"]).toEqual([ASKED, ITEM, ASKED]);
    expect(write(request, chat, DRAWS).body["messages"]).toEqual([
      ASKED,
      { role: "assistant", content: null, images: [IMAGE] },
      ASKED,
    ]);
  });

  test("is referred to by id by some clients of that style, which other upstreams cannot resolve", () => {
    const { result: _, ...named } = ITEM;
    const request = read(responses, { input: [ASKED, named] });

    expect(write(request, responses).body["input"]).toEqual([ASKED, named]);
    expect(write(request, gemini).lost).toEqual(["messages.image_generation_call"]);
  });

  test("is in a user message for a model that requires signatures on its images", () => {
    const model: ModelTraits = { reasoningControls: {}, output: ["text", "image"] };
    const last = read(chat, { messages: [ASKED, drawn] });
    const proven = [
      ...CONTENTS,
      { role: "model", parts: [{ ...INLINE, thoughtSignature: "c2ln" }] },
    ];

    expect(write(last, gemini, {}, model).body["contents"]).toEqual([
      ...CONTENTS,
      { role: "model", parts: [{ text: "There." }] },
      { role: "user", parts: [INLINE] },
    ]);
    expect(write(read(gemini, { contents: proven }), gemini, {}, model).body["contents"]).toEqual(
      proven,
    );
  });
});
