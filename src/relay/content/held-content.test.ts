import { describe, expect, test } from "bun:test";
import type { Egress, UpstreamReply } from "#egress/egress.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { aChannel } from "#test/a-channel.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import type { UpstreamTaskContext } from "../tasks/poll.ts";
import type { Content, ContentRequest } from "./content.ts";
import { HeldContent } from "./held-content.ts";

const VIDEO = Buffer.alloc(1_000, "v");
VIDEO.set(Buffer.from("000000206674797069736f6d00000200", "hex"));
const LINK = `data:video/mp4;base64,${VIDEO.toString("base64")}`;
const NEVER = new AbortController().signal;
const WHOLE: ContentRequest = { index: 0, variant: "video", signal: NEVER };

interface Scene {
  readonly mediaBytes?: number;
  readonly status?: number;
  /** Files within the vendor's answer, in base64. */
  readonly files?: readonly string[];
  readonly hasNone?: true;
}

function scene({ mediaBytes = 10_000, status = 200, files = [], hasNone }: Scene = {}) {
  const asked: string[] = [];
  const egress: Pick<Egress, "send"> = {
    async send({ url }) {
      asked.push(url.href);
      const reply: Partial<UpstreamReply> = {
        status,
        headers: new Map(),
        readAll: () => Buffer.from(JSON.stringify({ files })),
        readFailure: async () => "{}",
        [Symbol.dispose]() {},
      };
      return reply as UpstreamReply;
    },
  };
  const channel = aChannel();
  const parseContent = (body: JsonObject, index: number) => {
    const base64 = textOf((body["files"] as readonly string[])[index]);
    return base64 === undefined ? undefined : { kind: "base64", base64, mediaType: "video/webm" };
  };
  const outbound = {
    parseContent: hasNone === true ? undefined : parseContent,
    parseError: () => ({ message: "No." }),
  };
  const context = {
    channel,
    provider: { id: "openai", authorize: () => ({}) },
    endpoint: { style: { outbound }, poll: { method: "GET", path: () => "/poll" } },
    ref: {},
  } as unknown as UpstreamTaskContext;
  const held = new HeldContent({
    egress: egress as Egress,
    findChannel: () => channel,
    limits: { mediaBytes },
  });
  return { held, context, asked };
}

async function bytesOf({ body }: Content): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("a link that contains the file", () => {
  test("is decoded, as a whole or in part", async () => {
    const { held } = scene();
    const whole = await held.openData(LINK, WHOLE);
    const part = await held.openData(LINK, { ...WHOLE, range: { first: 5, last: 9 } });

    expect(whole).toMatchObject({ status: 200, mediaType: "video/mp4", sizeBytes: 1_000 });
    expect((await bytesOf(whole)).equals(VIDEO)).toBe(true);
    expect(part).toMatchObject({ status: 206, span: { start: 5, end: 10 } });
    expect((await bytesOf(part)).equals(VIDEO.subarray(5, 10))).toBe(true);
  });

  test("may be as large as the operator allows", async () => {
    expect(await scene({ mediaBytes: 1_000 }).held.openData(LINK, WHOLE)).toBeDefined();
    expect(await reasonOf(scene({ mediaBytes: 999 }).held.openData(LINK, WHOLE))).toMatchObject({
      code: "upstream_failed",
      message: "The file exceeds `limits.media_bytes`.",
    });
  });

  test("has its type in any letters, and further parameters", async () => {
    const link = LINK.replace(";base64", ";x=1;BASE64").replace("mp4", "quicktime");

    expect(await scene().held.openData(link, WHOLE)).toMatchObject({
      mediaType: "video/quicktime",
    });
  });

  test("may be too short to detect its type", async () => {
    const found = await scene().held.openData("data:video/mp4;base64,YQ==", WHOLE);

    expect(found).toMatchObject({ mediaType: "video/mp4", sizeBytes: 1 });
    expect((await bytesOf(found)).toString()).toBe("a");
  });

  test.each(["data:,hello", "data:video/mp4,hello", "data:video/mp4;base64x", "data:"])(
    "is refused if it is no base64: %s",
    async (link) => {
      expect(await reasonOf(scene().held.openData(link, WHOLE))).toMatchObject({
        code: "upstream_failed",
        message: "The upstream's link has no file.",
      });
    },
  );
});

describe("a vendor's answer that contains files", () => {
  const files = [Buffer.alloc(100, "x").toString("base64"), VIDEO.toString("base64")];

  test("is polled again, and has the requested one", async () => {
    const { held, context, asked } = scene({ files });
    const found = await held.openAnswer(context, { ...WHOLE, index: 1 });

    expect(found).toMatchObject({ status: 200, mediaType: "video/webm", sizeBytes: 1_000 });
    expect(found && (await bytesOf(found)).equals(VIDEO)).toBe(true);
    expect(asked).toEqual(["https://vendor.example/v1/poll"]);
  });

  test("has no file if the vendor has forgotten the task or the file", async () => {
    const forgotten = scene({ status: 404 });
    const without = scene({ files: [] });

    // More often than files may be open.
    for (let times = 0; times < 6; times++) {
      for (const { held, context } of [forgotten, without]) {
        expect(await held.openAnswer(context, WHOLE)).toBeUndefined();
      }
    }
  });

  test("is not requested if its channel was deleted, or if the vendor's format has no files", async () => {
    const { held, context, asked } = scene({ files, hasNone: true });

    expect(await held.openAnswer(undefined, WHOLE)).toBeUndefined();
    expect(await held.openAnswer(context, WHOLE)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe("files in memory", () => {
  /** Opens files, and counts those that are open. */
  function opener() {
    const { held } = scene();
    const opened: Content[] = [];
    const open = async (): Promise<void> => {
      opened.push(await held.openData(LINK, WHOLE));
    };
    return { held, opened, open };
  }
  const settle = () => Bun.sleep(0);

  test("are at most four at once, and a closed one frees a slot", async () => {
    const { opened, open } = opener();
    for (let times = 0; times < 8; times++) void open();
    await settle();
    expect(opened).toHaveLength(4);

    opened[0]?.close();
    opened[0]?.close();
    await settle();
    expect(opened).toHaveLength(5);
    for (const each of opened) each.close();
    await settle();
    expect(opened).toHaveLength(8);
  });

  test("are refused if 64 wait already", async () => {
    const { opened, open } = opener();
    for (let times = 0; times < 4 + 64; times++) void open();
    await settle();

    expect(await reasonOf(open())).toMatchObject({
      code: "overloaded",
      message: "Too many concurrent file downloads. Retry later.",
      retryAfterMs: 1_000,
    });
    for (let at = 0; at < 4 + 64; at++) {
      opened[at]?.close();
      await settle();
    }
    expect(opened).toHaveLength(4 + 64);
  });

  test("use no slot if they cannot be sent", async () => {
    const { held, opened, open } = opener();
    const page = `data:video/mp4;base64,${Buffer.alloc(100, "<").toString("base64")}`;
    for (let times = 0; times < 6; times++) {
      expect(await reasonOf(held.openData(page, WHOLE))).toMatchObject({ code: "upstream_failed" });
    }
    await open();

    expect(opened).toHaveLength(1);
  });
});
