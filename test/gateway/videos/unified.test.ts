import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import {
  CHATTY,
  openVideoPlace,
  SEEDANCE,
  SORA,
  VEO,
  WAN,
  type VideoPlace,
} from "#test/video-place.ts";

const PATH = "/v1/video/generations";
const CDN = "https://cdn.example/v.mp4";
/** The words, as models of the fourth family read them. */
const FOX = { content: [{ type: "text", text: "a fox" }] };

let place: VideoPlace;
beforeAll(async () => {
  place = await openVideoPlace();
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  place.vendor.seen.length = 0;
  place.taken = { body: { id: "upstream", status: "queued" } };
  place.task = { body: { id: "upstream", status: "queued" } };
});

const submit = (body: unknown) => place.send("POST", PATH, body);

async function submitted(body: unknown): Promise<string> {
  const { status, body: answer } = await submit(body);
  expect({ status, answer }).toMatchObject({ status: 200, answer: { status: "queued" } });
  return textOf(answer["task_id"]) ?? "";
}

const lastAsked = (): JsonObject => place.asked().at(-1)?.body ?? {};

describe("[B4.1-a] a video", () => {
  test("[B2.1] is accepted, made, and available at its link", async () => {
    const { status, body } = await submit({ model: SEEDANCE, metadata: FOX, duration: 5 });
    const id = textOf(body["task_id"]) ?? "";
    place.task = {
      body: {
        id: "upstream",
        status: "succeeded",
        content: { video_url: CDN },
        usage: { completion_tokens: 100, total_tokens: 100 },
        resolution: "720p",
        duration: 5,
      },
    };
    const done = await place.until(`${PATH}/${id}`, (answer) => answer["status"] === "succeeded");

    expect(status).toBe(200);
    expect(body).toEqual({ task_id: id, status: "queued", format: "mp4" });
    expect(id).toMatch(/^task_[0-9A-Za-z]{32}$/);
    expect(done).toMatchObject({ task_id: id, url: CDN, format: "mp4", progress: 100 });
    expect(JSON.stringify([body, done])).not.toContain("upstream");
  });

  test("that is being made is in progress, and a failed one has a reason with a number", async () => {
    const id = await submitted({ model: SEEDANCE, metadata: FOX });
    place.task = { body: { id: "upstream", status: "running" } };
    await place.until(`${PATH}/${id}`, (answer) => answer["status"] === "in_progress");
    place.task = {
      body: {
        status: "failed",
        error: { code: "OutputVideoSensitiveContentDetected", message: "It may be sensitive." },
      },
    };
    const failed = await place.until(`${PATH}/${id}`, (answer) => answer["status"] === "failed");

    expect(failed).toMatchObject({
      error: { code: 400, message: "It may be sensitive." },
      fail_reason: "It may be sensitive.",
    });
    expect(failed).not.toHaveProperty("url");
  });

  test("that is unknown is not found", async () => {
    const { status, body } = await place.send("GET", `${PATH}/task_none`);

    expect([status, body["error"]]).toEqual([
      404,
      { code: 404, message: "Task not found.", type: "not_found", param: null },
    ]);
  });

  test.each([
    [{ prompt: "a fox" }, 400, "model"],
    [{ model: SORA, prompt: "a fox", duration: "soon" }, 400, "duration"],
    [{ model: "nobody's", prompt: "a fox" }, 404, "model"],
    [{ model: CHATTY, prompt: "a fox" }, 404, "model"],
  ])("of %j is refused", async (body, code, param) => {
    const answer = await submit(body);

    expect(answer.status).toBe(code);
    expect(answer.body["error"]).toMatchObject({ code, param });
    expect(place.asked()).toEqual([]);
  });
});

describe("[B4.1-f1] the first family", () => {
  test("accepts seconds, a size and an image as JSON", async () => {
    await submitted({
      model: SORA,
      prompt: "a fox",
      seconds: "8",
      size: "1280x720",
      input_reference: "https://pictures.example/a.png",
    });

    expect(lastAsked()).toEqual({
      model: SORA,
      prompt: "a fox",
      seconds: "8",
      size: "1280x720",
      input_reference: { image_url: "https://pictures.example/a.png" },
    });
  });

  test("accepts them as a form", async () => {
    const form = new FormData();
    form.set("model", SORA);
    form.set("prompt", "a fox");
    form.set("seconds", "4");
    form.set("input_reference", new File([PNG], "a.png", { type: "image/png" }));
    await submitted(form);

    const [asked] = place.asked();
    expect(asked?.headers.get("content-type")).toStartWith("multipart/form-data; boundary=");
    expect(asked?.text).toContain('name="input_reference"; filename="reference.png"');
    expect(asked?.text).toContain('name="seconds"\r\n\r\n4');
  });

  test.each([
    [{ seconds: "5" }, "'seconds' must be 4, 8 or 12."],
    [{ size: "640x480" }, "'size' must be 720x1280 or 1280x720."],
  ])("refuses %j", async (requested, message) => {
    const { status, body } = await submit({ model: SORA, prompt: "a fox", ...requested });

    expect([status, body["error"]]).toMatchObject([400, { code: 400, message }]);
    expect(place.asked()).toEqual([]);
  });
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=",
  "base64",
);
const DATA_URI = `data:image/png;base64,${PNG.toString("base64")}`;

test("[B4.1-f2] the second family accepts a ratio, a length and frames", async () => {
  place.taken = { body: { name: `models/${VEO}/operations/upstream` } };
  await submitted({
    model: VEO,
    prompt: "a fox",
    duration: 8,
    aspectRatio: "9:16",
    resolution: "1080p",
    image: DATA_URI,
    lastFrame: DATA_URI,
  });
  const refused = await submit({ model: VEO, prompt: "a fox", duration: 5 });

  expect(lastAsked()).toMatchObject({
    instances: [
      {
        prompt: "a fox",
        image: { mimeType: "image/png" },
        lastFrame: { mimeType: "image/png" },
      },
    ],
    parameters: { aspectRatio: "9:16", resolution: "1080p", durationSeconds: 8 },
  });
  expect([refused.status, refused.body["error"]]).toMatchObject([
    400,
    { message: "'duration' must be 4, 6 or 8." },
  ]);
});

test("[B4.1-f3] the third family accepts a smart prompt and a sound of the client", async () => {
  place.taken = { body: { output: { task_id: "wan-upstream", task_status: "PENDING" } } };
  await submitted({
    model: WAN,
    prompt: "a fox",
    duration: 10,
    size: "1280*720",
    seed: 7,
    metadata: { smart_prompt: true, audio_url: "https://sounds.example/a.mp3" },
  });
  const refused = await submit({ model: WAN, prompt: "a fox", duration: 7 });

  expect(lastAsked()).toMatchObject({
    model: WAN,
    input: { prompt: "a fox", audio_url: "https://sounds.example/a.mp3" },
    parameters: { duration: 10, size: "1280*720", seed: 7, prompt_extend: true },
  });
  expect([refused.status, refused.body["error"]]).toMatchObject([
    400,
    { message: "'duration' must be 5 or 10." },
  ]);
});

describe("[B4.1-f4] the fourth family", () => {
  test("[B4.1-f4] needs the list of contents, and is refused with a prompt alone", async () => {
    const { status, body } = await submit({ model: SEEDANCE, prompt: "a fox" });

    expect([status, body["error"]]).toEqual([
      400,
      expect.objectContaining({ param: "metadata.content" }),
    ]);
    expect(place.asked()).toEqual([]);
  });

  test("accepts a list, reads the options in its text, and leaves them there", async () => {
    const text = "a fox runs --ratio 16:9 --dur 10 --rs 720p";
    await submitted({
      model: SEEDANCE,
      metadata: {
        content: [
          { type: "text", text },
          {
            type: "image_url",
            image_url: { url: "https://pictures.example/a.png" },
            role: "reference_image",
          },
        ],
        return_last_frame: true,
        model: "dearer",
      },
    });

    expect(lastAsked()).toEqual({
      model: SEEDANCE,
      content: [
        { type: "text", text },
        {
          type: "image_url",
          image_url: { url: "https://pictures.example/a.png" },
          role: "reference_image",
        },
      ],
      ratio: "16:9",
      duration: 10,
      resolution: "720p",
      return_last_frame: true,
    });
  });

  test.each([
    [[{ type: "image_url" }], "image_url.url is required"],
    [[{ type: "text", text: "a fox --dur 40" }], "'duration' must be between 4 and 15."],
  ])("refuses %j", async (content, message) => {
    const { status, body } = await submit({ model: SEEDANCE, metadata: { content } });

    expect([status, body["error"]]).toMatchObject([400, { message }]);
  });
});

test("options that a vendor does not support are reported, or refused for a strict client", async () => {
  const asked = { model: SORA, prompt: "a fox", seed: 7, watermark: true };
  const { lossy } = await submit(asked);
  const strict = await place.gateway.post(PATH, asked, { "sluice-strict": "true" });

  expect(lossy).toBe("seed, watermark");
  expect(strict.status).toBe(400);
});

test("[decision 35] a repeated request is one video", async () => {
  const headers = { "idempotency-key": "order-7" };
  const body = { model: SEEDANCE, metadata: FOX };
  const first = await place.gateway.post(PATH, body, headers);
  const second = await place.gateway.post(PATH, body, headers);

  expect(await second.text()).toBe(await first.text());
  expect(place.asked()).toHaveLength(1);
});

test.each([
  [{ model: SORA, prompt: "a fox", seconds: 5 }, "seconds"],
  [{ model: SORA, prompt: "a fox", duration: 5 }, "duration"],
  [{ model: SORA, prompt: "a fox", durationSeconds: 5 }, "durationSeconds"],
  [
    { model: SORA, prompt: "a fox", metadata: { duration_seconds: 5 } },
    "metadata.duration_seconds",
  ],
  [{ model: VEO, prompt: "a fox", aspectRatio: "3:2" }, "aspectRatio"],
  [{ model: VEO, prompt: "a fox", numberOfVideos: 3 }, "numberOfVideos"],
])("a refusal of %j names the field as the client wrote it", async (body, field) => {
  const { status, body: answer } = await submit(body);

  expect([status, answer["error"]]).toMatchObject([
    400,
    { param: field, message: expect.stringContaining(`'${field}'`) },
  ]);
});

test.each([
  ["/v1/videos", { model: SORA, prompt: "a fox", seconds: "5" }, "seconds"],
  ["/v1/videos", { model: SORA, prompt: "a fox", duration: "5" }, "duration"],
  [PATH, { model: SORA, prompt: "a fox", durationSeconds: "5" }, "durationSeconds"],
  [
    PATH,
    { model: VEO, prompt: "a fox", metadata: '{"aspectRatio":"3:2"}' },
    "metadata.aspectRatio",
  ],
  [PATH, { model: VEO, prompt: "a fox", aspectRatio: "3:2" }, "aspectRatio"],
])(
  "a refusal of a form to %s of %j names the field as the client wrote it",
  async (path, fields, field) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const { status, body: answer } = await place.send("POST", path, form);

    expect([status, answer["error"]]).toMatchObject([
      400,
      { param: field, message: expect.stringContaining(`'${field}'`) },
    ]);
  },
);

test("a video that its vendor returns as a data URI is served by the gateway", async () => {
  const bytes = Buffer.from("000000186674797069736f6d0000020069736f6d61766331", "hex");
  const url = `data:video/mp4;base64,${bytes.toString("base64")}`;
  const id = await submitted({ model: SEEDANCE, metadata: FOX });
  place.task = {
    body: {
      id: "upstream",
      status: "succeeded",
      content: { video_url: url },
      usage: { completion_tokens: 100, total_tokens: 100 },
    },
  };

  const done = await place.until(`${PATH}/${id}`, ({ status }) => status === "succeeded");
  const file = await place.gateway.get(`/v1/videos/${id}/content`);

  expect(done["url"]).toEndWith(`/v1/videos/${id}/content`);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
});

test("an image twice in one field counts twice, and once in each of two fields counts once", async () => {
  const picture = "https://pictures.example/a.png";
  const roles = async (body: object): Promise<number> => {
    await submitted({ model: SEEDANCE, metadata: FOX, ...body });
    return JSON.stringify(lastAsked()).split("a.png").length - 1;
  };

  expect(await roles({ images: [picture, picture] })).toBe(2);
  expect(await roles({ image: picture, images: [picture] })).toBe(1);
});

test("an external id names one task of its client, at every endpoint", async () => {
  const body = { model: SORA, prompt: "a fox", external_task_id: "order-of-two" };

  const first = await submit(body);
  const second = await submit(body);
  const third = await place.send("POST", "/v1/videos", body);

  expect([first.status, second.status, third.status]).toEqual([200, 400, 400]);
  expect(second.body["error"]).toMatchObject({ param: "external_task_id" });
});
