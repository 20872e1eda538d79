import { expect, test } from "bun:test";
import OpenAI from "openai";
import { mp4Boxes } from "#sandbox/testing/media-files.ts";
import { openVideos } from "#test/gateway/videos/asked.ts";
import { KEY } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

test.each(["/v1", "/openai/v1"])(
  "[B4.8] the client of video objects, unmodified, downloads what was made, at %s",
  async (base) => {
    await using place = await openVideos("vidu", ["viduq2"]);
    const { videos } = new OpenAI({ apiKey: KEY, baseURL: place.opened.url + base, maxRetries: 0 });

    // The client's own list of models is not the gateway's.
    const { id } = await videos.create({ model: "viduq2", prompt: "a fox" });
    await waitFor(async () => (await videos.retrieve(id)).status === "completed", 20_000);
    const file = await videos.downloadContent(id);

    expect(file.headers.get("content-type")).toBe("video/mp4");
    const bytes = new Uint8Array(await file.arrayBuffer());
    expect(mp4Boxes(bytes).map(({ path }) => path)).toContain("moov/trak/mdia");
  },
  40_000,
);
