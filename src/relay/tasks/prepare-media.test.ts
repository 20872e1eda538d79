import { expect, test } from "bun:test";
import type { MediaOrigin, VideoMedia, VideoRequest } from "#core/video.ts";
import { prepareMedia } from "./prepare-media.ts";

const LINK: MediaOrigin = { kind: "url", url: "https://caller.example/file" };
const BYTES = Buffer.from("bytes");

async function prepared(
  type: VideoMedia["type"],
  source: MediaOrigin,
  inlines: readonly VideoMedia["type"][],
): Promise<{ readonly source: MediaOrigin | undefined; readonly followed: readonly string[] }> {
  const followed: string[] = [];
  const question: VideoRequest = {
    model: "m",
    scenario: "reference",
    media: [{ type, role: "reference", source }],
  };
  const { media } = await prepareMedia(
    question,
    { inlines, types: ["image/png"] },
    {
      media: {
        follow: (url) => {
          followed.push(url);
          return Promise.resolve({ bytes: BYTES, mediaType: "video/mp4" });
        },
      },
      maxPixels: 1_000,
      signal: new AbortController().signal,
    },
  );
  return { source: media[0]?.source, followed };
}

test.each(["video", "audio"] as const)(
  "a link to %s is followed for a vendor that does not follow it, and for no other",
  async (type) => {
    expect(await prepared(type, LINK, [type])).toEqual({
      source: { kind: "bytes", bytes: BYTES, mediaType: "video/mp4" },
      followed: [LINK.url],
    });
    expect(await prepared(type, LINK, ["image"])).toEqual({ source: LINK, followed: [] });
  },
);

test("a link to an image is passed on to a vendor that follows it", async () => {
  expect(await prepared("image", LINK, ["video"])).toEqual({ source: LINK, followed: [] });
});

test("media as bytes, or stored at the vendor, are unchanged", async () => {
  const bytes = { kind: "bytes", bytes: BYTES, mediaType: "video/mp4" } as const;
  const asset: MediaOrigin = { kind: "asset", id: "asset-1" };
  const reference: MediaOrigin = { kind: "reference", id: "file-1" };

  expect((await prepared("video", bytes, ["video"])).source).toBe(bytes);
  for (const type of ["image", "video"] as const) {
    for (const known of [asset, reference]) {
      expect((await prepared(type, known, [type])).source).toBe(known);
    }
  }
});
