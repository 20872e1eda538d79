import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { Variant } from "#core/kept-media.ts";
import { HEAD_BYTES } from "#lib/media-type.ts";
import type { Content } from "./content.ts";
import { readFile } from "./read-file.ts";

const MP4 = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from("ftypisom"),
  Buffer.alloc(HEAD_BYTES),
]);
const PNG = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.alloc(HEAD_BYTES),
]);
const PAGE = Buffer.from(`\n <html>${"x".repeat(HEAD_BYTES)}`);
const OTHER = Buffer.from("y".repeat(HEAD_BYTES + 10));

interface Scene {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: Iterable<Uint8Array>;
  readonly range?: string;
  readonly variant?: Variant;
  readonly maxBytes?: number;
}

function scene({
  status = 200,
  headers = { "content-type": "video/mp4" },
  pieces = [MP4],
  range,
  variant = "video",
  maxBytes = 10_000,
}: Scene = {}) {
  let closed = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* pieces;
  }
  const file = {
    status,
    headers: new Map(Object.entries(headers)),
    body: body(),
    close: () => void closed++,
  };
  const request = { index: 0, variant, ...(range !== undefined && { range }) };
  return { read: () => readFile(file as never, request as never, maxBytes), closed: () => closed };
}

async function bytesOf({ body }: Content): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}

/** The media type of a file, or the reason why it is refused. */
async function typeOf(more: Scene): Promise<string> {
  const { read, closed } = scene(more);
  try {
    const { mediaType } = await read();
    expect(closed()).toBe(0);
    return mediaType;
  } catch (cause) {
    expect(closed()).toBe(1);
    return GatewayError.from(cause).message;
  }
}

const NO_VIDEO = "The upstream returned a file that is no video.";
const said = (type: string): Scene => ({ headers: { "content-type": type } });

describe("a file of an upstream", () => {
  test("has all its bytes, its size, and its cache headers", async () => {
    const headers = {
      "content-type": "video/mp4",
      "content-length": String(MP4.length),
      etag: '"1"',
      "last-modified": "Mon, 23 Nov 2026 10:00:00 GMT",
      "accept-ranges": "Bytes",
    };
    const pieces = [MP4.subarray(0, 5), MP4.subarray(5, 9), MP4.subarray(9)];
    const content = await scene({ headers, pieces }).read();

    expect(content).toMatchObject({
      status: 200,
      mediaType: "video/mp4",
      sizeBytes: MP4.length,
      takesRanges: true,
      etag: '"1"',
      lastModified: headers["last-modified"],
    });
    expect(await bytesOf(content)).toBe(MP4.toString("latin1"));
  });

  test("has only headers that its upstream sent and that are valid", async () => {
    const headers = { "content-type": "video/mp4", etag: "é", "last-modified": "" };
    const content = await scene({ headers }).read();

    expect(content).toMatchObject({ takesRanges: false });
    expect([content.sizeBytes, content.etag, content.lastModified]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("may be as large as the operator allows, by its announced and its actual size", async () => {
    const maxBytes = MP4.length;
    const length = (bytes: number): Scene => ({
      maxBytes,
      headers: { "content-type": "video/mp4", "content-length": String(bytes) },
    });
    const exact = await scene({ maxBytes }).read();
    const more = await scene({ maxBytes, pieces: [MP4, Buffer.from("1")] }).read();

    expect(await typeOf(length(maxBytes))).toBe("video/mp4");
    expect(await typeOf(length(maxBytes + 1))).toContain("limits.media_bytes");
    expect((await bytesOf(exact)).length).toBe(maxBytes);
    expect(await bytesOf(more).catch((cause: unknown) => GatewayError.from(cause).code)).toBe(
      "upstream_failed",
    );
  });

  test("is sent as soon as its type is known, before the rest arrives", async () => {
    const pieces = (function* () {
      yield MP4.subarray(0, HEAD_BYTES);
      throw new Error("The connection broke.");
    })();

    expect(await scene({ pieces }).read()).toMatchObject({ status: 200, mediaType: "video/mp4" });
  });

  test("that is empty, or an error, is refused", async () => {
    expect(await typeOf({ pieces: [] })).toContain("empty file");
    expect(await typeOf({ status: 404 })).toContain("different range");
  });
});

describe("a part of a file", () => {
  const headers = { "content-type": "video/mp4", "content-range": "bytes 5-9/100" };

  test("has its range and the size of the whole, and its content is not inspected", async () => {
    const content = await scene({
      status: 206,
      headers,
      range: "bytes=5-9",
      pieces: [PAGE],
    }).read();

    expect(content).toMatchObject({ status: 206, mediaType: "video/mp4", sizeBytes: 100 });
    expect(content).toMatchObject({ takesRanges: true, span: { start: 5 } });
    expect(await bytesOf(content)).toBe(PAGE.toString("latin1"));
  });

  test("from the beginning has its content inspected", async () => {
    const first = { ...headers, "content-range": "bytes 0-9/100" };
    const part: Scene = { status: 206, headers: first, range: "bytes=0-9" };

    expect(await typeOf({ ...part, pieces: [PAGE] })).toBe(NO_VIDEO);
    expect(await typeOf(part)).toBe("video/mp4");
  });

  test("that was not requested, or without a range, is refused", async () => {
    const { "content-range": _, ...without } = headers;

    expect(await typeOf({ status: 206, headers })).toContain("different range");
    expect(await typeOf({ status: 206, headers: without, range: "bytes=5-9" })).toContain(
      "different range",
    );
  });

  test("beyond the end is reported with the size of the whole, if it was requested", async () => {
    const told = (range: string): Promise<Content> =>
      scene({ status: 416, headers: { "content-range": range }, range: "bytes=999-" }).read();

    expect(await told("bytes */100")).toMatchObject({ status: 416, mediaType: "", sizeBytes: 100 });
    expect((await told("none")).sizeBytes).toBeUndefined();
    expect(await typeOf({ status: 416 })).toContain("different range");
  });
});

describe("the type of a file", () => {
  test.each<[string, Scene, string]>([
    [
      "follows from its bytes if the server states none",
      said("application/octet-stream"),
      "video/mp4",
    ],
    ["follows from its bytes against the server's", said("text/html"), "video/mp4"],
    [
      "is the server's if the bytes are of its kind",
      said("Video/QuickTime; x=1"),
      "video/quicktime",
    ],
    [
      "is the server's if the bytes say nothing",
      { ...said("video/webm"), pieces: [OTHER] },
      "video/webm",
    ],
    ["is unknown if the bytes are a page", { pieces: [PAGE] }, NO_VIDEO],
    ["is unknown if the bytes are an image", { pieces: [PNG] }, NO_VIDEO],
    [
      "is known from the first bytes, if there are no more",
      { pieces: [PNG.subarray(0, HEAD_BYTES)] },
      NO_VIDEO,
    ],
    ["is unknown if neither server nor bytes show it", { headers: {}, pieces: [OTHER] }, NO_VIDEO],
    ["is the server's if it is too short to tell", { pieces: [Buffer.from("<")] }, "video/mp4"],
    [
      "is a video's if it is too short to detect and none is stated",
      { headers: {}, pieces: [Buffer.from("y")] },
      "video/mp4",
    ],
    [
      "is an image's for a cover",
      { ...said("image/png"), pieces: [PNG], variant: "thumbnail" },
      "image/png",
    ],
    ["is a video's for one with a watermark", { variant: "watermarked" }, "video/mp4"],
    [
      "is unknown for an image that may run scripts",
      { ...said("image/svg+xml"), pieces: [OTHER], variant: "thumbnail" },
      "The upstream returned a file that is no thumbnail.",
    ],
    [
      "is unknown for a cover that is too short to detect and has no stated type",
      { headers: {}, pieces: [Buffer.from("y")], variant: "thumbnail" },
      "The upstream returned a file that is no thumbnail.",
    ],
    [
      "is unknown for a part that is stated as something else",
      {
        status: 206,
        headers: { "content-type": "text/html", "content-range": "bytes 5-9/100" },
        range: "bytes=5-9",
      },
      NO_VIDEO,
    ],
  ])("%s", async (_, more, expected) => {
    expect(await typeOf(more)).toBe(expected);
  });
});
