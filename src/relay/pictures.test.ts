import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { ImageRequest, Images, MadePicture, Picture } from "#core/image.ts";
import { LossReport } from "#core/lossy.ts";
import type { FetchedMedia } from "#core/media.ts";
import { LongBase64 } from "#lib/long-base64.ts";
import { readPictureHead } from "#lib/picture.ts";
import type { ImageEndpoint, PictureTerms } from "#providers/provider.ts";
import type { Tools } from "./operate.ts";
import { finishPictures, preparePicture, preparePictures, unixSeconds } from "./pictures.ts";

/** One pixel each. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const LINK = "https://files.example/a.png";
const UPSTREAM = new URL("https://vendor.example/v1");

const base64 = (data: string, mediaType = "image/unknown"): Picture => ({
  kind: "base64",
  base64: data,
  mediaType,
});
const bytes = (data: string): Picture => ({
  kind: "bytes",
  bytes: Buffer.from(data, "base64"),
  mediaType: "image/unknown",
});
const link: Picture = { kind: "url", url: LINK };

interface Followed {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly upstream: URL | undefined;
}

function toolsWith(found: FetchedMedia | Error = file(PNG), maxPixels = 1) {
  const followed: Followed[] = [];
  const stop = new AbortController();
  const report = new LossReport();
  const tools: Tools = {
    media: {
      async follow(url, signal, upstream) {
        followed.push({ url, signal, upstream });
        if (found instanceof Error) throw found;
        return found;
      },
    },
    maxPixels,
    signal: stop.signal,
    upstream: UPSTREAM,
    at: 1_800_000_000_999,
    report,
  };
  return { tools, followed, stop, report };
}

function file(data: string, mediaType = "image/png"): FetchedMedia {
  return { bytes: Buffer.from(data, "base64"), mediaType };
}

const TERMS: PictureTerms = { inlines: true, types: ["image/png"] };

async function errorOf(promise: Promise<unknown>): Promise<GatewayError> {
  return await promise.then(
    () => expect.unreachable("A failure was expected."),
    (cause: unknown) => GatewayError.from(cause),
  );
}

describe("an input image", () => {
  test("that the vendor stores is not touched", async () => {
    const { tools, followed } = toolsWith();
    const picture: Picture = { kind: "reference", id: "file-1" };

    expect(await preparePicture(picture, "image", TERMS, tools)).toEqual(picture);
    expect(followed).toEqual([]);
  });

  test("behind a link stays a link if the vendor follows links", async () => {
    const { tools, followed } = toolsWith();

    expect(await preparePicture(link, "image", { ...TERMS, inlines: false }, tools)).toEqual(link);
    expect(followed).toEqual([]);
  });

  test("behind a link is downloaded if the vendor does not follow links", async () => {
    const { tools, followed, stop } = toolsWith();

    expect(await preparePicture(link, "image", TERMS, tools)).toEqual({
      kind: "bytes",
      bytes: Buffer.from(PNG, "base64"),
      mediaType: "image/png",
    });
    expect(followed).toEqual([{ url: LINK, signal: stop.signal, upstream: undefined }]);
  });

  test("that cannot be downloaded is refused under the client's field", async () => {
    const { tools } = toolsWith(new GatewayError("invalid_request", "The link is forbidden."));
    const error = await errorOf(preparePicture(link, "mask", TERMS, tools));

    expect(error).toMatchObject({ code: "invalid_request", param: "mask" });
    expect(error.message).toBe("The link is forbidden.");
  });

  test("whose download fails for another reason keeps that reason", async () => {
    const { tools } = toolsWith(new GatewayError("overloaded", "Too many downloads."));
    const error = await errorOf(preparePicture(link, "mask", TERMS, tools));

    expect(error).toMatchObject({ code: "overloaded" });
    expect(error.param).toBeUndefined();
  });

  test("gets the type of its content", async () => {
    const { tools } = toolsWith();

    expect(await preparePicture(base64(PNG), "image", TERMS, tools)).toEqual(
      base64(PNG, "image/png"),
    );
    expect(await preparePicture(bytes(PNG), "image", TERMS, tools)).toMatchObject({
      kind: "bytes",
      mediaType: "image/png",
    });
  });

  test("of a type that the vendor does not accept becomes a PNG", async () => {
    const { tools } = toolsWith();

    for (const picture of [base64(GIF), bytes(GIF)]) {
      const made = await preparePicture(picture, "image", TERMS, tools);
      if (made.kind !== "bytes") throw new Error("Bytes were expected.");
      expect(made.mediaType).toBe("image/png");
      expect(await readPictureHead(made.bytes)).toMatchObject({ mediaType: "image/png" });
    }
  });

  test("of more pixels than allowed is refused with the limit", async () => {
    const { tools } = toolsWith(undefined, 0);
    const error = await errorOf(preparePicture(base64(PNG), "markup", TERMS, tools));

    expect(error).toMatchObject({ code: "invalid_request", param: "markup" });
    expect(error.message).toBe("'markup' has 1x1 pixels; the maximum is 0 pixels.");
  });

  test("is measured by its width times its height", async () => {
    const picture = bytes(PNG);
    if (picture.kind !== "bytes") throw new Error("Bytes were expected.");
    const large = await new Bun.Image(picture.bytes).resize(2, 2).png().bytes();
    const error = await errorOf(
      preparePicture({ ...picture, bytes: large }, "image", TERMS, toolsWith(undefined, 3).tools),
    );

    expect(error.message).toBe("'image' has 2x2 pixels; the maximum is 3 pixels.");
  });

  test("as long base64 is read like any other", async () => {
    const { tools } = toolsWith();
    const long = LongBase64.write(Buffer.from(PNG, "base64"));
    const picture: Picture = { kind: "base64", base64: long, mediaType: "image/unknown" };

    expect(await preparePicture(picture, "image", TERMS, tools)).toEqual({
      kind: "base64",
      base64: long,
      mediaType: "image/png",
    });
  });

  test("that cannot be converted is refused with the types that the model accepts", async () => {
    const { tools } = toolsWith();
    const start = Buffer.from(PNG, "base64").subarray(0, 40).toString("base64");
    const terms = { ...TERMS, types: ["image/jpeg", "image/webp"] };
    const error = await errorOf(preparePicture(bytes(start), "mask", terms, tools));

    expect(error).toMatchObject({ code: "invalid_request", param: "mask" });
    expect(error.message).toBe("'mask' is image/png; this model accepts image/jpeg, image/webp.");
  });

  test("whose data is no image is refused", async () => {
    const { tools } = toolsWith();
    const error = await errorOf(preparePicture(base64("AAAA"), "image", TERMS, tools));

    expect(error).toMatchObject({ code: "invalid_request", param: "image" });
    expect(error.message).toBe("'image' has data that is not an image.");
  });
});

const QUESTION: ImageRequest = {
  model: "m",
  task: "edit",
  stream: false,
  turns: [{ role: "user", parts: ["Draw", link] }],
};
const endpoint = (more: Partial<ImageEndpoint> = {}): ImageEndpoint =>
  ({ pictures: TERMS, ...more }) as ImageEndpoint;

describe("the images of a request", () => {
  test("are all prepared, and its texts stay in their places", async () => {
    const { tools } = toolsWith();
    const prepared = await preparePictures(
      { ...QUESTION, mask: base64(PNG), markup: bytes(PNG) },
      endpoint(),
      tools,
    );

    expect(prepared).toEqual({
      ...QUESTION,
      turns: [{ role: "user", parts: ["Draw", { kind: "bytes", ...file(PNG) }] }],
      mask: base64(PNG, "image/png"),
      markup: { kind: "bytes", ...file(PNG) },
    });
  });

  test("are refused under the name of their field", async () => {
    const { tools } = toolsWith();
    const refused = async (change: Partial<ImageRequest>): Promise<string | undefined> =>
      (await errorOf(preparePictures({ ...QUESTION, ...change }, endpoint(), tools))).param;
    const broken = base64("AAAA");

    expect(await refused({ turns: [{ role: "user", parts: [broken] }] })).toBe("image");
    expect(await refused({ mask: broken })).toBe("mask");
    expect(await refused({ markup: broken })).toBe("markup");
  });

  test("are made in the vendor's usual format unless the client names one", async () => {
    const { tools } = toolsWith();
    const formatOf = async (question: ImageRequest, of: ImageEndpoint) =>
      (await preparePictures(question, of, tools)).format;

    expect(await formatOf(QUESTION, endpoint({ format: "png" }))).toBe("png");
    expect(await formatOf({ ...QUESTION, format: "webp" }, endpoint({ format: "png" }))).toBe(
      "webp",
    );
    expect(await preparePictures(QUESTION, endpoint(), tools)).not.toContainKey("format");
  });
});

describe("a made image", () => {
  const finish = async (
    picture: MadePicture,
    options: Partial<ImageRequest>,
    tools: Tools = toolsWith().tools,
    more: Partial<Images> = {},
  ): Promise<Images> =>
    await finishPictures({ pictures: [picture], ...more }, { ...QUESTION, ...options }, tools);

  test("stays as the vendor made it if the client asks for nothing else", async () => {
    const { tools, followed } = toolsWith();

    expect(await finish({ url: LINK }, { delivery: "url" }, tools)).toEqual({
      createdAt: 1_800_000_000,
      pictures: [{ url: LINK }],
    });
    expect(followed).toEqual([]);
  });

  test("keeps the vendor's time", async () => {
    expect((await finish({ url: LINK }, {}, undefined, { createdAt: 7 })).createdAt).toBe(7);
  });

  test("behind a link is downloaded if the client asks for base64", async () => {
    const { tools, followed, stop } = toolsWith();
    const { pictures } = await finish(
      { url: LINK, revisedPrompt: "A lake" },
      { delivery: "base64" },
      tools,
    );

    expect(String(pictures[0]?.base64)).toBe(PNG);
    expect(pictures[0]).toMatchObject({ mediaType: "image/png", revisedPrompt: "A lake" });
    expect(pictures[0]).not.toContainKey("url");
    expect(followed).toEqual([{ url: LINK, signal: stop.signal, upstream: UPSTREAM }]);
  });

  test("that the vendor sent as base64 is not downloaded", async () => {
    const { tools, followed } = toolsWith();
    const picture = { url: LINK, base64: PNG };

    expect((await finish(picture, { delivery: "base64" }, tools)).pictures).toEqual([picture]);
    expect((await finish({}, { delivery: "base64" }, tools)).pictures).toEqual([{}]);
    expect(followed).toEqual([]);
  });

  test("that cannot be downloaded is returned as its link, and that is reported", async () => {
    const { tools, report } = toolsWith(new GatewayError("invalid_request", "Not found."));

    expect((await finish({ url: LINK }, { delivery: "base64" }, tools)).pictures).toEqual([
      { url: LINK },
    ]);
    expect(report.fields).toEqual(["response_format"]);
  });

  test("fails if the client disconnects during its download", async () => {
    const { tools, report, stop } = toolsWith(new GatewayError("canceled", "Gone."));
    stop.abort();

    const error = await errorOf(finish({ url: LINK }, { delivery: "base64" }, tools));
    expect(error.code).toBe("canceled");
    expect(report.fields).toEqual([]);
  });

  test("is converted to the format that the client asks for", async () => {
    for (const format of ["jpeg", "webp"]) {
      const { pictures } = await finish(
        { base64: PNG, mediaType: "image/png", size: "1x1" },
        { format },
      );
      expect(pictures[0]).toMatchObject({ mediaType: `image/${format}`, size: "1x1" });
      const made = Buffer.from(String(pictures[0]?.base64), "base64");
      expect(await readPictureHead(made)).toMatchObject({ mediaType: `image/${format}` });
    }
    const { pictures } = await finish({ base64: GIF, mediaType: "image/gif" }, { format: "png" });
    expect(pictures[0]?.mediaType).toBe("image/png");
  });

  test("stays as it is if it has that format, an unknown one, or too many pixels", async () => {
    const picture = { base64: PNG, mediaType: "image/png" };

    expect((await finish(picture, { format: "png" })).pictures).toEqual([picture]);
    expect((await finish(picture, { format: "avif" })).pictures).toEqual([picture]);
    expect((await finish(picture, {})).pictures).toEqual([picture]);
    expect((await finish({ base64: PNG }, { format: "jpeg" })).pictures).toEqual([{ base64: PNG }]);
    const { tools } = toolsWith(undefined, 0);
    expect((await finish(picture, { format: "jpeg" }, tools)).pictures).toEqual([picture]);
  });
});

test("a time in seconds is rounded down", () => {
  expect(unixSeconds(1_999)).toBe(1);
});
