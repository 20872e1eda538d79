import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { GoogleGenAI, type GenerateVideosOperation } from "@google/genai";
import OpenAI, { toFile } from "openai";
import { isObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { contentTasks } from "#styles/video/ark/inbound.ts";
import { KEY } from "#test/harness.ts";
import { readLines, withVendors } from "#test/shared.ts";
import { openVideoPlace, SEEDANCE, SORA, VEO, type VideoPlace } from "#test/video-place.ts";
import { waitFor } from "#test/wait.ts";

const QUEUED = { id: "video_upstream", object: "video", status: "queued", progress: 0 };
const DONE = { ...QUEUED, status: "completed", progress: 100, seconds: "4", size: "720x1280" };

let place: VideoPlace;
beforeAll(async () => {
  place = await openVideoPlace();
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  place.vendor.seen.length = 0;
  place.taken = { body: QUEUED };
  place.task = { body: QUEUED };
});

/** The client's promises are none until somebody waits for them. */
async function failureOf(call: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (cause) {
    return cause;
  }
  throw new Error("It was not refused.");
}

describe.each(["/v1", "/openai/v1"])(
  "[B4.7] the client of video objects, unmodified, at %s",
  (base) => {
    const client = (): OpenAI =>
      new OpenAI({ apiKey: KEY, baseURL: place.gateway.url + base, maxRetries: 0 });

    async function made(): Promise<OpenAI.Video> {
      const { videos } = client();
      let video = await videos.create({ model: SORA, prompt: "a fox", seconds: "4" });
      place.task = { body: DONE };
      await waitFor(async () => {
        video = await videos.retrieve(video.id);
        return video.status === "completed";
      });
      return video;
    }

    test("gets a video", async () => {
      const video = await made();

      expect(video).toMatchObject({
        object: "video",
        model: SORA,
        progress: 100,
        prompt: "a fox",
        seconds: "4",
        size: "720x1280",
        error: null,
      });
      expect(place.asked()[0]?.body).toEqual({
        model: SORA,
        prompt: "a fox",
        seconds: "4",
        size: "720x1280",
      });
    });

    test("sends an image, as a file and by a link", async () => {
      const { videos } = client();
      const input = await toFile(PNG, "a.png", { type: "image/png" });
      await videos.create({ model: SORA, prompt: "a fox", input_reference: input });
      await videos.create({
        model: SORA,
        prompt: "a fox",
        input_reference: { image_url: "https://pictures.example/a.png" },
      });

      const [asFile, byLink] = place.asked();
      expect(asFile?.text).toContain('name="input_reference"; filename="reference.png"');
      expect(byLink?.body["input_reference"]).toEqual({
        image_url: "https://pictures.example/a.png",
      });
    });

    test("makes a remix, lists both, and deletes one", async () => {
      const { videos } = client();
      const source = await made();
      const remixed = await videos.remix(source.id, { prompt: "a blue fox" });
      const listed: string[] = [];
      for await (const { id } of videos.list({ limit: 1, order: "desc" })) listed.push(id);
      const deleted = await videos.delete(source.id);

      expect(remixed).toMatchObject({ remixed_from_video_id: source.id, prompt: "a blue fox" });
      expect(listed.slice(0, 2)).toEqual([remixed.id, source.id]);
      expect(deleted).toEqual({ id: source.id, object: "video.deleted", deleted: true });
      const gone = await failureOf(() => videos.retrieve(source.id));
      expect(gone).toBeInstanceOf(OpenAI.NotFoundError);
    });

    test("reads errors", async () => {
      const { videos } = client();
      const failure = await failureOf(() =>
        videos.create({ model: SORA, prompt: "a fox", size: "1x1" as never }),
      );

      expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
      expect(failure).toMatchObject({ param: "size", code: "invalid_value" });
    });
  },
);

describe("the client of the native style, unmodified", () => {
  const client = (): GoogleGenAI =>
    new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: place.gateway.url } });

  async function whenDone(operation: GenerateVideosOperation): Promise<GenerateVideosOperation> {
    let now = operation;
    await waitFor(async () => {
      now = await client().operations.getVideosOperation({ operation: now });
      return now.done === true;
    });
    return now;
  }

  test("gets videos", async () => {
    const UPSTREAM = `models/${VEO}/operations/upstream`;
    place.taken = { body: { name: UPSTREAM } };
    const begun = await client().models.generateVideos({
      model: VEO,
      source: {
        prompt: "a fox",
        image: { imageBytes: PNG.toString("base64"), mimeType: "image/png" },
      },
      config: { aspectRatio: "16:9", durationSeconds: 8, numberOfVideos: 1 },
    });
    place.task = {
      body: {
        name: UPSTREAM,
        done: true,
        response: {
          generateVideoResponse: {
            generatedSamples: [{ video: { uri: "https://files.example/files/a:download" } }],
          },
        },
      },
    };
    const done = await whenDone(begun);

    expect(begun.done).toBeUndefined();
    expect(done.error).toBeUndefined();
    expect(done.response?.generatedVideos).toEqual([
      {
        video: {
          uri: expect.stringMatching(/\/v1beta\/files\/[a-z0-9]+:download\?alt=media$/),
          mimeType: "video/mp4",
        },
      },
    ]);
    expect(place.asked()[0]?.body).toMatchObject({
      instances: [{ prompt: "a fox", image: { mimeType: "image/png" } }],
      parameters: { aspectRatio: "16:9", durationSeconds: 8 },
    });
  });

  test("gets videos of a vendor of another format, and the reason of failed ones", async () => {
    place.taken = { body: { id: "cgt-upstream" } };
    const begun = await client().models.generateVideos({
      model: SEEDANCE,
      source: { prompt: "a fox" },
    });
    place.task = {
      body: {
        status: "failed",
        error: { code: "OutputVideoSensitiveContentDetected", message: "It may be sensitive." },
      },
    };
    const done = await whenDone(begun);

    expect(done.response).toMatchObject({
      raiMediaFilteredCount: 1,
      raiMediaFilteredReasons: ["It may be sensitive."],
    });
  });
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=",
  "base64",
);

withVendors("captured", () => {
  test("[B4.2-a] a recorded task request of a client is read without a loss", () => {
    const bodies = readLines("captured/vercel-video.jsonl")
      .filter(({ path }) => textOf(path)?.startsWith("/videoa/"))
      .flatMap(({ body }) => (isObject(body) ? [body] : []));

    expect(bodies.length).toBeGreaterThan(1);
    for (const body of bodies) {
      const { model, extra } = contentTasks.inbound.read(body, {});
      expect([model, extra]).toEqual([textOf(body["model"]) ?? "", undefined]);
    }
  });
});
