import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { inlineLinks } from "./inline-links.ts";

const SIGNAL = new AbortController().signal;
const picture = (url: string): Block =>
  ({ type: "image", source: { kind: "url", url } }) as unknown as Block;
const request = (...blocks: readonly Block[]): ChatRequest =>
  ({ model: "m", messages: [{ role: "user", blocks }] }) as unknown as ChatRequest;

/** The blocks after their links are followed, each to `sizeBytes`, or the refusal. */
async function inlined(asked: ChatRequest, sizeBytes = 3) {
  const followed: string[] = [];
  const media = {
    async follow(url: string, signal: AbortSignal) {
      expect(signal).toBe(SIGNAL);
      followed.push(url);
      return { bytes: Buffer.alloc(sizeBytes, "a"), mediaType: "image/png" };
    },
  };
  const told = await inlineLinks(asked, ["image"], media, SIGNAL).catch(GatewayError.from);
  return { followed, told };
}

const inline = () => ({
  type: "image",
  source: { kind: "data", base64: "YWFh" },
  mediaType: "image/png",
});

describe("links for an upstream that follows none", () => {
  test("are replaced by their content, in every position", async () => {
    const result = {
      type: "tool_result",
      id: "1",
      blocks: [picture("https://a.test/1")],
    } as unknown as Block;
    const { told } = await inlined(request(picture("http://a.test/2"), result));

    expect(told).toMatchObject({
      messages: [{ role: "user", blocks: [inline(), { type: "tool_result", blocks: [inline()] }] }],
    });
  });

  test("are downloaded once each, and inlined each time", async () => {
    const same = picture("HTTPS://a.test/1");
    const { told, followed } = await inlined(request(same, same));

    expect(followed).toEqual(["HTTPS://a.test/1"]);
    expect(told).toMatchObject({ messages: [{ blocks: [inline(), inline()] }] });
  });

  test("of other kinds and schemes, and invalid ones, are unchanged", async () => {
    const asked = request(
      { type: "text", text: "https://a.test/" } as Block,
      picture("gs://bucket/1"),
      { type: "file", source: { kind: "url", url: "https://a.test/2" } } as unknown as Block,
      { ...inline() } as unknown as Block,
    );
    const { told, followed } = await inlined(asked);

    expect(told).toBe(asked as never);
    expect(followed).toEqual([]);
  });

  test("of other kinds stay beside those that are inlined", async () => {
    const file = { type: "file", source: { kind: "url", url: "https://a.test/2" } };
    const { told } = await inlined(request(picture("https://a.test/1"), file as unknown as Block));

    expect(told).toMatchObject({ messages: [{ blocks: [inline(), file] }] });
  });

  test("are at most sixteen, with any number of repetitions", async () => {
    const links = Array.from({ length: 17 }, (_, at) => picture(`https://a.test/${at}`));
    const most = await inlined(request(...links.slice(1), ...links.slice(1)));
    const more = await inlined(request(...links));

    expect(most.followed).toHaveLength(16);
    expect(more.told).toMatchObject({ code: "invalid_request", param: "messages" });
    expect(more.followed).toEqual([]);
  });

  test("have a limited total size, in which repeated ones count each time", async () => {
    const half = (50 * 1024 * 1024 * 3) / 4;
    const once = picture("https://a.test/1");

    expect((await inlined(request(once, once), half)).told).not.toBeInstanceOf(GatewayError);
    expect((await inlined(request(once, once), half + 3)).told).toMatchObject({
      code: "too_large",
      message: expect.stringContaining("100 MiB"),
    });
    expect((await inlined(request(once), half + 3)).told).not.toBeInstanceOf(GatewayError);
  });
});
