import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import type { FaultCode } from "#core/error.ts";
import type { Task } from "#core/task.ts";
import type { MadeVideo } from "#core/video.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import type { FileRequest } from "#egress/linked-files.ts";
import type { Json } from "#lib/json.ts";
import { aChannel } from "#test/a-channel.ts";
import { aTask } from "#test/a-task.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { VendorContent } from "./at-vendor.ts";
import type { Content, ContentRequest } from "./content.ts";

const NOW = Date.UTC(2026, 0, 1);
const KEY = credential("secret-of-the-vendor");
const NEVER = new AbortController().signal;
const WHOLE: ContentRequest = { index: 0, variant: "video", signal: NEVER };
const VIDEO = Buffer.alloc(100, "v");
VIDEO.set(Buffer.from("000000206674797069736f6d00000200", "hex"));

interface Vendor {
  readonly channel: Channel;
  readonly model: string;
  readonly format: string;
}

const vendor = (provider: string, baseUrl: string, model: string, format: string): Vendor => ({
  channel: aChannel({ name: provider, provider, baseUrl, credentials: [KEY] }),
  model,
  format,
});
/** Links that anyone may open. */
const ARK = vendor(
  "ark",
  "https://ark.example/api/v3",
  "doubao-seedance-1-0-pro-250528",
  "video-ark",
);
/** No links: an endpoint of its own. */
const OPENAI = vendor("openai", "https://openai.example/v1", "sora-2", "video-openai");
/** Links at its own address, which need the key. */
const GEMINI = vendor(
  "gemini",
  "https://gemini.example/v1beta",
  "veo-3.1-generate-preview",
  "video-veo",
);
const ENDPOINT = "https://openai.example/v1/videos/up-1/content";
const POLL = "https://ark.example/api/v3/contents/generations/tasks/up-1";
const CDN = "https://cdn.example/v.mp4";

function made(by: Vendor, video: MadeVideo, more: Partial<Task> = {}): Task {
  return aTask({
    status: "succeeded",
    videos: [video],
    place: {
      channel: by.channel.name,
      provider: by.channel.provider,
      upstreamModel: by.model,
      format: by.format,
      credential: KEY.label,
      upstreamId: "up-1",
    },
    ...more,
  });
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The state of a task, instead of a file. */
  readonly body?: Json;
  readonly bytes?: Uint8Array;
}

const FILE: Answer = { headers: { "content-type": "video/mp4" } };
const to = (location: string): Answer => ({ status: 302, headers: { location } });
/** The vendor's task with a new link. */
const renewed = (video_url: string): Answer => ({
  body: { status: "succeeded", content: { video_url } },
});

/** The internet: what is at which URL; 404 elsewhere. */
function scene(
  web: Readonly<Record<string, Answer>>,
  { hasNoChannel, mediaBytes = 1_000 }: { hasNoChannel?: true; mediaBytes?: number } = {},
) {
  const withKey: UpstreamRequest[] = [];
  const withoutKey: (FileRequest & { readonly url: string })[] = [];
  const counts = { open: 0 };
  const answerAt = (url: string) => {
    const { status = 200, headers = {}, body, bytes: file = VIDEO } = web[url] ?? { status: 404 };
    counts.open++;
    const close = (): void => void counts.open--;
    const bytes = body === undefined ? file : Buffer.from(JSON.stringify(body));
    return { status, headers: new Map(Object.entries(headers)), bytes, close };
  };
  const content = new VendorContent({
    clock: { now: () => NOW, monotonic: () => 0 },
    limits: { mediaBytes },
    findChannel: (name: string) =>
      hasNoChannel === true
        ? undefined
        : [ARK, OPENAI, GEMINI].find(({ channel }) => channel.name === name)?.channel,
    tasks: { change: async (task: Task, change: object) => ({ ...task, ...change }) },
    egress: {
      async send(request: UpstreamRequest) {
        withKey.push(request);
        const { bytes, ...more } = answerAt(request.url.href);
        const reply: Partial<UpstreamReply> = {
          ...more,
          pump: async (onPiece) => await onPiece(bytes),
          readAll: () => bytes,
          readFailure: async () => "{}",
          [Symbol.dispose]: more.close,
        };
        return reply;
      },
    },
    files: {
      async open(url: string, request: FileRequest) {
        withoutKey.push({ url, ...request });
        const { bytes, ...more } = answerAt(url);
        async function* body(): AsyncGenerator<Uint8Array> {
          yield bytes;
        }
        return { ...more, body: body() };
      },
    },
  } as never);
  const open = (task: Task, more: Partial<ContentRequest> = {}) =>
    content.open(task, { ...WHOLE, ...more });
  return {
    open,
    withKey,
    withoutKey,
    counts,
    /** Where the gateway went, in which way. */
    asked: () => [withKey.map(({ url }) => url.href), withoutKey.map(({ url }) => url)],
  };
}

async function bytesOf({ body }: Content): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

const GONE = expect.objectContaining({
  code: "content_gone",
  message: "This file no longer exists: its vendor stores results for a limited time.",
});

describe("a file behind an open link", () => {
  test("is requested without the channel's key, and sent unchanged", async () => {
    const { open, withKey, withoutKey, counts } = scene({ [CDN]: FILE });
    const content = await open(made(ARK, { url: CDN }));

    expect(content).toMatchObject({ status: 200, mediaType: "video/mp4" });
    expect((await bytesOf(content)).equals(VIDEO)).toBe(true);
    expect(withKey).toEqual([]);
    expect(withoutKey).toEqual([
      {
        url: CDN,
        headers: {},
        giver: { url: new URL(ARK.channel.baseUrl) },
        maxRedirects: 3,
        signal: NEVER,
      },
    ]);
    expect(counts.open).toBe(1);
    content.close();
    expect(counts.open).toBe(0);
  });

  test("is requested in part, with the client's version", async () => {
    const range = { first: 5, last: 9 };
    const { open, withoutKey } = scene({ [CDN]: FILE });
    await open(made(ARK, { url: CDN }), { range });
    await open(made(ARK, { url: CDN }), { range, ifRange: '"1"' });

    expect(withoutKey.map(({ headers }) => headers)).toEqual([
      { range: "bytes=5-9" },
      { range: "bytes=5-9", "if-range": '"1"' },
    ]);
  });

  test("is available after its channel was removed", async () => {
    const { open, withoutKey } = scene({ [CDN]: FILE }, { hasNoChannel: true });

    expect(await open(made(ARK, { url: CDN }))).toMatchObject({ status: 200 });
    expect(withoutKey[0]?.giver).toBeUndefined();
  });

  test("may be as large as the operator allows", async () => {
    const headers = { ...FILE.headers, "content-length": "1000" };
    const reading = (mediaBytes: number) =>
      scene({ [CDN]: { headers } }, { mediaBytes }).open(made(ARK, { url: CDN }));

    expect(await reading(1_000)).toMatchObject({ sizeBytes: 1_000 });
    expect(await reasonOf(reading(999))).toMatchObject({ code: "upstream_failed" });
  });

  test("may be within the link", async () => {
    const link = `DATA:video/mp4;base64,${VIDEO.toString("base64")}`;
    const { open, asked } = scene({});
    const content = await open(made(ARK, { url: link }));

    expect((await bytesOf(content)).equals(VIDEO)).toBe(true);
    expect(asked()).toEqual([[], []]);
  });

  test.each([206, 416])("is sent with the status %i of its server", async (status) => {
    const headers = { ...FILE.headers, "content-range": "bytes 5-9/100" };
    const { open } = scene({ [CDN]: { status, headers } });

    expect(await open(made(ARK, { url: CDN }), { range: { first: 5, last: 9 } })).toMatchObject({
      status,
    });
  });

  test.each<[number, FaultCode]>([
    [401, "upstream_auth"],
    [429, "upstream_rate_limited"],
    [503, "upstream_overloaded"],
    [500, "upstream_failed"],
  ])("is refused with the status %i as %s, and its vendor is not polled", async (status, code) => {
    const { open, asked, counts } = scene({ [CDN]: { status } });

    expect(await reasonOf(open(made(ARK, { url: CDN })))).toMatchObject({
      code,
      message: `The upstream answered with status ${status} when it was asked for the file.`,
    });
    expect(asked()).toEqual([[], [CDN]]);
    expect(counts.open).toBe(0);
  });

  test("that the vendor did not make is not found", async () => {
    const { open, asked } = scene({});

    expect(await reasonOf(open(made(ARK, { url: CDN }), { variant: "thumbnail" }))).toMatchObject({
      code: "not_found",
      message: "This video has no thumbnail.",
    });
    expect(asked()).toEqual([[], []]);
  });
});

describe("a file at the vendor's own endpoint", () => {
  const task = made(OPENAI, { url: "" });

  test("is requested with the channel's key", async () => {
    const { open, withKey, withoutKey } = scene({ [ENDPOINT]: FILE });
    const content = await open(task, { range: { first: 5 } });

    expect((await bytesOf(content)).equals(VIDEO)).toBe(true);
    expect(withKey).toHaveLength(1);
    expect(withKey[0]).toMatchObject({
      url: new URL(ENDPOINT),
      method: "GET",
      credential: KEY,
      headers: { range: "bytes=5-" },
      isStream: true,
      isFile: true,
      headMs: 30_000,
      signal: NEVER,
    });
    expect(withoutKey).toEqual([]);
  });

  test("may be an image beside the video", async () => {
    const url = `${ENDPOINT}?variant=thumbnail`;
    const bytes = Buffer.from("RIFF....WEBPVP8 ");
    const { open } = scene({ [url]: { headers: { "content-type": "image/webp" }, bytes } });

    expect(await open(task, { variant: "thumbnail" })).toMatchObject({ mediaType: "image/webp" });
  });

  test.each<[string, Partial<ContentRequest>]>([
    ["a second video", { index: 1 }],
    ["the last frame", { variant: "last_frame" }],
    ["a video with a watermark", { variant: "watermarked" }],
  ])("is not %s, which needs a link", async (_what, more) => {
    const png = { headers: { "content-type": more.variant === "last_frame" ? "image/png" : "" } };
    const { open, asked } = scene({ [ENDPOINT]: FILE, [CDN]: png });
    const video = { url: CDN, lastFrameUrl: CDN, watermarkedUrl: CDN };
    const given = made(OPENAI, video, { videos: [video, video] });
    await reasonOf(open(given, more));

    expect(asked()).toEqual([[], [CDN]]);
  });

  test.each([404, 405, 410, 501])(
    "is searched behind the link if the server has no such endpoint (%i)",
    async (status) => {
      const { open, asked } = scene({ [ENDPOINT]: { status }, [CDN]: FILE });

      expect(await open(made(OPENAI, { url: CDN }))).toMatchObject({ status: 200 });
      expect(asked()).toEqual([[ENDPOINT], [CDN]]);
    },
  );

  test("is gone if the endpoint does not find it and there is no link", async () => {
    const { open, counts } = scene({});

    expect(await reasonOf(open(task))).toEqual(GONE);
    expect(counts.open).toBe(0);
  });

  test("is refused to the gateway's account, which does not end the file", async () => {
    const { open, asked } = scene({ [ENDPOINT]: { status: 403 }, [CDN]: FILE });

    expect(await reasonOf(open(made(OPENAI, { url: CDN })))).toMatchObject({
      code: "upstream_auth",
    });
    expect(asked()).toEqual([[ENDPOINT], []]);
  });

  test("is within the vendor's answer if neither an endpoint nor a link exists", async () => {
    const videos = [{ bytesBase64Encoded: VIDEO.toString("base64"), mimeType: "video/mp4" }];
    const { open, asked } = scene({
      "https://gemini.example/v1beta/up-1": { body: { done: true, response: { videos } } },
    });
    const content = await open(made(GEMINI, { url: "" }));

    expect((await bytesOf(content)).equals(VIDEO)).toBe(true);
    expect(asked()).toEqual([["https://gemini.example/v1beta/up-1"], []]);
  });
});

describe("a link at the vendor's own address", () => {
  const OWN = "https://gemini.example/files/1";
  const own = (at: number): string => `https://gemini.example/${at}`;
  const task = (url: string) => made(GEMINI, { url });

  test("is opened with the channel's key if the vendor needs it", async () => {
    const { open, asked } = scene({ [OWN]: FILE });
    await open(task(OWN));

    expect(asked()).toEqual([[OWN], []]);
  });

  test("is opened without it if the vendor does not", async () => {
    const url = "https://ark.example/files/1";
    const { open, asked } = scene({ [url]: FILE });
    await open(made(ARK, { url }));

    expect(asked()).toEqual([[], [url]]);
  });

  test("may redirect to another host, which does not get the key", async () => {
    const { open, asked, withoutKey, counts } = scene({ [OWN]: to(CDN), [CDN]: FILE });
    await open(task(OWN), { range: { first: 5 } });

    expect(asked()).toEqual([[OWN], [CDN]]);
    expect(withoutKey[0]).toMatchObject({ maxRedirects: 2, headers: { range: "bytes=5-" } });
    // The redirect is closed, and the file is not.
    expect(counts.open).toBe(1);
  });

  test("may redirect three times", async () => {
    const { open, asked } = scene({
      [own(0)]: to("/1"),
      [own(1)]: to(own(2)),
      [own(2)]: to(own(3)),
      [own(3)]: FILE,
    });
    await open(task(own(0)));

    expect(asked()).toEqual([[own(0), own(1), own(2), own(3)], []]);
  });

  test("may not redirect four times", async () => {
    const { open, asked, counts } = scene({ [OWN]: to(OWN) });

    expect(await reasonOf(open(task(OWN)))).toMatchObject({
      code: "upstream_failed",
      message: "The upstream redirects too often.",
    });
    expect(asked()).toEqual([[OWN, OWN, OWN, OWN], []]);
    expect(counts.open).toBe(0);
  });
});

describe("a link that has expired", () => {
  const OLD = "https://cdn.example/old.mp4";
  const task = made(ARK, { url: OLD });

  test.each([403, 404, 410])("(%i) is renewed at the vendor", async (status) => {
    const { open, asked, counts } = scene({
      [OLD]: { status },
      [POLL]: renewed(CDN),
      [CDN]: FILE,
    });

    expect(await open(task)).toMatchObject({ status: 200 });
    expect(asked()).toEqual([[POLL], [OLD, CDN]]);
    expect(counts.open).toBe(1);
  });

  test("by its own expiry time is renewed before it is opened", async () => {
    const web = { [OLD]: FILE, [POLL]: renewed(CDN), [CDN]: FILE };
    const ended = scene(web);
    const valid = scene(web);
    await ended.open({ ...task, linksEndAt: NOW });
    await valid.open({ ...task, linksEndAt: NOW + 1 });

    expect(ended.asked()).toEqual([[POLL], [CDN]]);
    expect(valid.asked()).toEqual([[], [OLD]]);
  });

  test("is gone for good if the vendor has no other, which is not opened again", async () => {
    const { open, asked } = scene({ [POLL]: renewed(OLD) });

    expect(await reasonOf(open(task))).toEqual(GONE);
    expect(asked()).toEqual([[POLL], [OLD]]);
  });

  test("is gone for good if the vendor's new one does not work either", async () => {
    const { open, asked } = scene({ [POLL]: renewed(CDN) });

    expect(await reasonOf(open(task))).toEqual(GONE);
    expect(asked()).toEqual([[POLL], [OLD, CDN]]);
    const ended = scene({ [POLL]: renewed(CDN) });
    expect(await reasonOf(ended.open({ ...task, linksEndAt: NOW }))).toEqual(GONE);
    expect(ended.asked()).toEqual([[POLL], [CDN]]);
  });

  test("gets the vendor's error while the vendor cannot be polled", async () => {
    const { open } = scene({ [POLL]: { status: 500 } });

    expect(await reasonOf(open(task))).toMatchObject({ code: "upstream_failed" });
  });

  test("is opened if the vendor cannot be polled and its expiry time was wrong", async () => {
    const { open } = scene({ [POLL]: { status: 500 }, [OLD]: FILE });

    expect(await open({ ...task, linksEndAt: NOW })).toMatchObject({ status: 200 });
  });
});
