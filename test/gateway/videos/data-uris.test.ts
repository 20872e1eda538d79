import { describe, expect, test } from "bun:test";
import { textOf } from "#lib/values.ts";
import { waitFor } from "#test/wait.ts";
import { asking } from "./asked.ts";
import { openFake, type SentRequest } from "./fake-vendor.ts";

const BYTES = Buffer.from("000000186674797069736f6d0000020069736f6d61766331", "hex");
const RESULT = `data:video/mp4;base64,${BYTES.toString("base64")}`;
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PICTURE = `data:image/png;base64,${PNG}`;

interface Vendor {
  readonly provider: string;
  readonly model: string;
  /** Submits are answered with the one, queries with the other. */
  readonly taken: object;
  readonly done: (asked: SentRequest) => object;
  /** Where the request holds the picture that a video begins with. */
  readonly pictureIn: (body: SentRequest["body"]) => unknown;
}

const VENDORS: readonly Vendor[] = [
  {
    provider: "kling",
    model: "kling-v2-6",
    taken: { code: 0, data: { task_id: "77", task_status: "submitted" } },
    done: () => ({
      code: 0,
      data: {
        task_id: "77",
        task_status: "succeed",
        task_result: { videos: [{ id: "v", url: RESULT, duration: "5" }] },
      },
    }),
    pictureIn: ({ image }) => `data:image/png;base64,${textOf(image)}`,
  },
  {
    provider: "kling",
    model: "kling-3.0",
    taken: { code: 0, data: { id: "77", status: "submitted" } },
    done: () => ({
      code: 0,
      data: [{ id: "77", status: "succeeded", outputs: [{ type: "video", url: RESULT }] }],
    }),
    pictureIn: ({ contents }) =>
      `data:image/png;base64,${JSON.stringify(contents).match(/"url":"([^"]+)"/)?.[1]}`,
  },
  {
    provider: "vidu",
    model: "viduq2-pro",
    taken: { task_id: "77", state: "created" },
    done: () => ({ id: "77", state: "success", creations: [{ id: "c", url: RESULT }] }),
    pictureIn: ({ images }) => (images as string[])[0],
  },
  {
    provider: "dashscope",
    model: "wan2.2-i2v-flash",
    taken: { output: { task_id: "77", task_status: "PENDING" }, request_id: "r" },
    done: () => ({ output: { task_id: "77", task_status: "SUCCEEDED", video_url: RESULT } }),
    pictureIn: ({ input }) => (input as { img_url: string }).img_url,
  },
  {
    provider: "minimax",
    model: "MiniMax-H3",
    taken: { task_id: "77" },
    done: () => ({ task: { id: "77", status: "succeeded", content: { url: RESULT } } }),
    pictureIn: ({ content }) => JSON.stringify(content).match(/"image_url":\{"url":"([^"]+)"/)?.[1],
  },
  {
    provider: "minimax",
    model: "MiniMax-Hailuo-02",
    taken: { task_id: "77", base_resp: { status_code: 0, status_msg: "success" } },
    done: ({ path }) =>
      path.startsWith("/v1/files/")
        ? { file: { file_id: "9", download_url: RESULT }, base_resp: { status_code: 0 } }
        : { task_id: "77", status: "Success", file_id: "9", base_resp: { status_code: 0 } },
    pictureIn: ({ first_frame_image: image }) => image,
  },
];

const isSubmit = ({ method, path }: SentRequest): boolean =>
  method === "POST" && !path.includes("/tasks/");

describe.each(VENDORS.map((vendor) => [vendor.model, vendor] as const))("%s", (model, vendor) => {
  const { provider, taken, done, pictureIn } = vendor;

  test("[B4.8] a data URI as input image is accepted, and one as a result is served", async () => {
    await using fake = await openFake(provider, [model], (asked) =>
      isSubmit(asked) ? taken : done(asked),
    );
    const { post, get } = asking(fake.opened);
    const begun = await post("/v1/video/generations", { model, prompt: "a fox", image: PICTURE });
    const path = `/v1/video/generations/${textOf(begun.body["task_id"])}`;
    expect(begun).toMatchObject({ status: 200, body: { status: "queued" } });
    await waitFor(async () => (await get(path)).body["status"] !== "queued", 20_000);
    const { body: made } = await get(path);
    const file = await fake.opened.get(`/v1/videos/${textOf(begun.body["task_id"])}/content`);

    expect(pictureIn(fake.asked.find(isSubmit)?.body ?? {})).toBe(PICTURE);
    expect(made).toMatchObject({ status: "succeeded" });
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "video/mp4"]);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(BYTES);
  });
});
