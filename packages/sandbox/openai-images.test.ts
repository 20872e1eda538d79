import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { APIError, toFile } from "openai";
import type { ZodType } from "zod";
import { SHARED, withShared } from "../../test/shared.ts";
import { paint } from "./engine/picture.ts";
import { parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { at, eventsIn, textAt } from "./testing/chat.ts";
import { openapiSchemas } from "./testing/openapi-schemas.ts";
import { call, download, lookAt, pngUrl } from "./testing/pictures.ts";

let sandbox: Sandbox;
let client: OpenAI;
let clock = 1_754_000_000_000;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => clock });
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${sandbox.url}/openai/v1`, maxRetries: 0 });
});
afterAll(() => sandbox.stop());

const GENERATIONS = "/openai/v1/images/generations";
const EDITS = "/openai/v1/images/edits";
const PROMPT = "A cute baby sea otter wearing a beret";

const bytes = (base64: string | undefined) => Buffer.from(base64 ?? "", "base64");
const look = (base64: string | undefined) => lookAt(bytes(base64));
const png = (width: number, height: number, name = "a.png", ground?: "transparent") =>
  toFile(paint(width, height, "given", ground), name);

/** Status, type, param and code; what it says is for people. */
async function refused(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof APIError)) throw new Error(`Not refused: ${String(error)}`);
  return [error.status, error.type, error.param, error.code].map(String).join(" | ");
}

function refusal({ status, answer }: { status: number; answer: Json | undefined }): string {
  const error = at(answer, "error");
  return [status, ...["type", "param", "code"].map((key) => textAt(error, key))].join(" | ");
}

describe("images from text", () => {
  test.each([
    [{}, "png 1024x1024", 1_056],
    [{ size: "1536x1024", quality: "low", output_format: "jpeg" }, "jpeg 1536x1024", 400],
    [{ size: "1024x1536", quality: "high", output_format: "webp" }, "webp 1024x1536", 6_240],
  ] as const)(
    "are returned as bytes, in the requested size and format, with their tokens (%j)",
    async (wishes, file, tokens) => {
      const made = await client.images.generate({
        model: "gpt-image-1",
        prompt: PROMPT,
        ...wishes,
      });

      expect(await look(made.data?.[0]?.b64_json)).toBe(file);
      expect(`${made.output_format} ${made.size}`).toBe(file);
      expect(made.background).toBe("opaque");
      expect(made.usage).toMatchObject({
        input_tokens_details: { image_tokens: 0, text_tokens: made.usage?.input_tokens },
        output_tokens: tokens,
        total_tokens: tokens + (made.usage?.input_tokens ?? 0),
      });
      expect(made.data?.[0]).not.toHaveProperty("url");
    },
  );

  test("have the requested number, and all differ", async () => {
    const wishes = { n: 3, quality: "low", background: "transparent" } as const;
    const made = await client.images.generate({
      model: "gpt-image-1-mini",
      prompt: "x",
      ...wishes,
    });

    expect(new Set(made.data?.map((each) => each.b64_json)).size).toBe(3);
    expect(made.usage?.output_tokens).toBe(3 * 272);
    expect(made.background).toBe("transparent");
    expect(bytes(made.data?.[0]?.b64_json).includes("tRNS")).toBe(true);
  });

  test("have smaller files at a lower quality", async () => {
    const sizeAt = async (output_compression: number) => {
      const wishes = { output_format: "jpeg", output_compression } as const;
      const made = await client.images.generate({ model: "gpt-image-1", prompt: "x", ...wishes });
      return bytes(made.data?.[0]?.b64_json).length;
    };

    expect(await sizeAt(10)).toBeLessThan((await sizeAt(90)) / 2);
  });

  test("of later models also cost reasoning text, and have any size", async () => {
    const model = "gpt-image-2";
    const { usage, ...made } = await client.images.generate({
      model,
      prompt: "x",
      size: "1536x864",
    });

    expect(await look(made.data?.[0]?.b64_json)).toBe("png 1536x864");
    const { image_tokens: image = 0, text_tokens: text = 0 } = usage?.output_tokens_details ?? {};
    expect(text).toBeGreaterThan(100);
    expect(usage?.output_tokens).toBe(image + text);
  });

  test("of earlier models are returned as links, for an hour", async () => {
    const two = await client.images.generate({ prompt: PROMPT, n: 2, size: "256x256" });
    const three = await client.images.generate({
      model: "dall-e-3",
      prompt: PROMPT,
      style: "natural",
    });
    const [first, second] = two.data ?? [];

    expect(await lookAt(await download(first?.url ?? ""))).toBe("png 256x256");
    expect(first?.url).not.toBe(second?.url);
    expect(first).not.toHaveProperty("revised_prompt");
    expect(await lookAt(await download(three.data?.[0]?.url ?? ""))).toBe("png 1024x1024");
    expect(three.data?.[0]?.revised_prompt).toContain(PROMPT);
    expect(three).not.toHaveProperty("usage");

    clock += 3_600_000;
    expect((await fetch(first?.url ?? "")).status).toBe(403);
  });

  test("of earlier models are returned as bytes on request", async () => {
    const wishes = { model: "dall-e-2", size: "512x512", response_format: "b64_json" } as const;
    const made = await client.images.generate({ prompt: "x", ...wishes });

    expect(await look(made.data?.[0]?.b64_json)).toBe("png 512x512");
  });

  test("are streamed, from partial to final", async () => {
    const stream = await client.images.generate({
      model: "gpt-image-1",
      prompt: PROMPT,
      stream: true,
      partial_images: 2,
      quality: "low",
    });
    const events = await Array.fromAsync(stream);

    expect(events.map(({ type }) => type.replace("image_generation.", ""))).toEqual([
      "partial_image",
      "partial_image",
      "completed",
    ]);
    expect(new Set(events.map((event) => event.b64_json)).size).toBe(3);
    for (const event of events) expect(await look(event.b64_json)).toBe("png 1024x1024");
    const last = events.at(-1);
    // A hundred for each that was not ready.
    if (last?.type === "image_generation.completed") expect(last.usage.output_tokens).toBe(472);
    else throw new Error("The last event completes.");
  });

  const draw = (body: JsonObject) => call(sandbox, GENERATIONS, { prompt: "x", ...body });
  test.each<[string, JsonObject, string]>([
    ["no prompt", { prompt: null }, "prompt | missing_required_parameter"],
    ["an empty prompt", { prompt: "" }, "prompt | empty_string"],
    ["a long prompt", { prompt: "x".repeat(1_001) }, "prompt | string_above_max_length"],
    ["quality of dall-e-2", { quality: "standard" }, "quality | unknown_parameter"],
    ["style of dall-e-2", { style: "vivid" }, "style | unknown_parameter"],
    ["a wide dall-e-2", { size: "1792x1024" }, "size | invalid_value"],
    ["two of dall-e-3", { model: "dall-e-3", n: 2 }, "n | integer_above_max_value"],
    [
      "background of dall-e-3",
      { model: "dall-e-3", background: "auto" },
      "background | unknown_parameter",
    ],
    [
      "a form of bytes",
      { model: "gpt-image-1", response_format: "b64_json" },
      "response_format | unknown_parameter",
    ],
    ["no pictures", { model: "gpt-image-1", n: 0 }, "n | integer_below_min_value"],
    ["eleven", { model: "gpt-image-1", n: 11 }, "n | integer_above_max_value"],
    ["a small size", { model: "gpt-image-1", size: "256x256" }, "size | invalid_value"],
    ["an old quality", { model: "gpt-image-1", quality: "hd" }, "quality | invalid_value"],
    [
      "four partials",
      { model: "gpt-image-1", stream: true, partial_images: 4 },
      "partial_images | integer_above_max_value",
    ],
    [
      "a clear JPEG",
      { model: "gpt-image-1", background: "transparent", output_format: "jpeg" },
      "background | invalid_value",
    ],
    [
      "a packed PNG",
      { model: "gpt-image-1", output_compression: 50 },
      "output_compression | invalid_png_output_compression",
    ],
    ["sides of no step", { model: "gpt-image-2", size: "1000x1000" }, "size | invalid_value"],
    ["a strip", { model: "gpt-image-2", size: "3200x512" }, "size | invalid_value"],
    ["a number as a prompt", { prompt: 7 }, "prompt | invalid_type"],
  ])("are refused: %s", async (_, body, wanted) => {
    expect(refusal(await draw(body))).toBe(`400 | invalid_request_error | ${wanted}`);
  });

  test("are refused like by the vendor's policy", async () => {
    const ask = (model: string) => client.images.generate({ model, prompt: "please refuse" });

    expect(await refused(ask("gpt-image-1"))).toBe(
      "400 | image_generation_user_error | null | moderation_blocked",
    );
    expect(await refused(ask("dall-e-3"))).toBe(
      "400 | invalid_request_error | null | content_policy_violation",
    );
    expect(await refused(client.images.generate({ model: "nobody", prompt: "x" }))).toBe(
      "404 | invalid_request_error | model | model_not_found",
    );
  });
});

describe("edits", () => {
  test("accept sixteen images and a mask, and count their tokens", async () => {
    const image = await Promise.all(
      Array.from({ length: 16 }, (_, at) => png(64, 32, `${at}.png`)),
    );
    const mask = await png(64, 32, "mask.png", "transparent");
    const one = { model: "gpt-image-1", prompt: "Make it red", quality: "low" } as const;
    const all = await client.images.edit({ ...one, image, mask });
    const [first] = image;
    const single = await client.images.edit({ ...one, image: first ?? mask });
    const close = await client.images.edit({
      ...one,
      image: first ?? mask,
      input_fidelity: "high",
    });

    expect(all.usage?.input_tokens_details.image_tokens).toBe(17 * 194);
    expect(single.usage?.input_tokens_details.image_tokens).toBe(194);
    expect(close.usage?.input_tokens_details.image_tokens).toBe(194 + 6_240);
    // Of no size of its own, it has the shape of what it was made from.
    expect(await look(single.data?.[0]?.b64_json)).toBe("png 1536x1024");
    expect(all.data?.[0]?.b64_json).not.toBe(single.data?.[0]?.b64_json);
  });

  test("read every kind of file by its content", async () => {
    const source = new Bun.Image(paint(48, 48, "given"));
    const image = await Promise.all([
      toFile(await source.jpeg().bytes(), "wrong.png"),
      toFile(await source.webp().bytes(), "a.webp"),
    ]);
    const made = await client.images.edit({ image, prompt: "x", output_format: "webp" });

    expect(await look(made.data?.[0]?.b64_json)).toBe("webp 1024x1024");
  });

  test("are streamed with their own events", async () => {
    const image = await png(64, 64);
    const stream = await client.images.edit({
      image,
      prompt: "x",
      stream: true,
      partial_images: 1,
    });
    const events = await Array.fromAsync(stream);

    expect(events.map(({ type }) => type)).toEqual([
      "image_edit.partial_image",
      "image_edit.completed",
    ]);
  });

  test("accept images in JSON, as links or data", async () => {
    const images = [{ image_url: pngUrl(64, 64) }, { image_url: "https://a.example/fox.png" }];
    const { status, answer } = await call(sandbox, EDITS, { prompt: "x", images });

    expect(status).toBe(200);
    expect(at(answer, "usage", "input_tokens_details", "image_tokens")).toBe(2 * 194);
    expect(await look(textAt(answer, "data", 0, "b64_json"))).toBe("png 1024x1024");
  });

  const image = { image_url: pngUrl(8, 8) };
  const user = "400 | image_generation_user_error";
  const wrong = "400 | invalid_request_error";
  test.each<[string, JsonObject, string]>([
    ["no pictures", { images: [] }, `${wrong} | images | empty_array`],
    ["too many", { images: Array(17).fill(image) }, `${wrong} | images | array_above_max_length`],
    [
      "another kind of link",
      { images: [{ image_url: "ftp://a/b.png" }] },
      `${user} | images[0].image_url | invalid_image_file`,
    ],
    [
      "a drawing of lines",
      { images: [image, { image_url: "https://a.example/l.svg" }] },
      `${user} | images[1].image_url | invalid_image_file`,
    ],
    [
      "a truncated image",
      { images: [{ image_url: pngUrl(8, 8).slice(0, 80) }] },
      `${user} | images[0].image_url | invalid_image_file`,
    ],
    ["neither a link nor a file", { images: [{}] }, `${wrong} | images[0] | invalid_value`],
    [
      "an unknown file",
      { images: [{ file_id: "file-1" }] },
      `${wrong} | images[0].file_id | file_not_found`,
    ],
    [
      "the model of another format",
      { images: [image], model: "dall-e-2" },
      `${wrong} | model | invalid_value`,
    ],
    [
      "fidelity of a small model",
      { images: [image], model: "gpt-image-1-mini", input_fidelity: "high" },
      `${wrong} | input_fidelity | unsupported_parameter`,
    ],
    ["an unknown field", { images: [image], image: "x" }, `${wrong} | image | unknown_parameter`],
  ])("are refused in JSON: %s", async (_, body, wanted) => {
    expect(refusal(await call(sandbox, EDITS, { prompt: "x", ...body }))).toBe(wanted);
  });

  test("are refused in forms: invalid images, invalid masks, and other models", async () => {
    const good = await png(64, 64);
    const edit = (more: object) =>
      refused(client.images.edit({ image: good, prompt: "x", ...more }));
    const text = await toFile(Buffer.from("hello"), "a.png");
    const broken = await toFile(Buffer.from(paint(64, 64, "x")).subarray(0, 90), "a.png");

    expect(await edit({ image: text })).toBe(`${wrong} | image | unsupported_file_mimetype`);
    expect(await edit({ image: broken })).toBe(`${user} | image | invalid_image_file`);
    expect(await edit({ image: [good, text] })).toBe(
      `${wrong} | image[1] | unsupported_file_mimetype`,
    );
    expect(await edit({ image: Array(17).fill(good) })).toBe(
      `${wrong} | image | array_above_max_length`,
    );
    expect(await edit({ mask: good })).toBe(`${wrong} | mask | invalid_mask_image_format`);
    expect(await edit({ mask: await png(32, 32, "m.png", "transparent") })).toBe(
      `${wrong} | mask | invalid_mask_image_format`,
    );
    expect(await edit({ model: "dall-e-3" })).toBe(`${wrong} | model | invalid_value`);
    expect(await edit({ model: "dall-e-2", quality: "low" })).toBe(
      `${wrong} | quality | unknown_parameter`,
    );
    expect(await edit({ model: "dall-e-2", image: await png(64, 32) })).toBe(
      `${wrong} | image | null`,
    );
    expect(await edit({ n: "many" })).toBe(`${wrong} | n | invalid_type`);
    expect(await edit({ prompt: "" })).toBe(`${wrong} | prompt | empty_string`);
  });
});

describe("variations", () => {
  test("accept one square image, and return links or bytes", async () => {
    const image = await png(64, 64);
    const linked = await client.images.createVariation({ image, n: 2, size: "256x256" });
    const packed = await client.images.createVariation({ image, response_format: "b64_json" });

    expect(linked.data).toHaveLength(2);
    expect(await lookAt(await download(linked.data?.[0]?.url ?? ""))).toBe("png 256x256");
    expect(await look(packed.data?.[0]?.b64_json)).toBe("png 1024x1024");
  });

  test("are refused for another model, another shape, and without a form", async () => {
    const image = await png(64, 64);
    const vary = (more: object) => refused(client.images.createVariation({ image, ...more }));

    expect(await vary({ model: "gpt-image-1" })).toStartWith("400 | invalid_request_error | model");
    expect(await vary({ image: await png(64, 32) })).toStartWith(
      "400 | invalid_request_error | image",
    );
    const json = await call(sandbox, "/openai/v1/images/variations", { image: "x" });
    expect(refusal(json)).toBe("400 | invalid_request_error |  | unsupported_content_type");
  });
});

describe("faults", () => {
  test("are ordered by the prompt, in JSON and in forms", async () => {
    const status = "x [[fault:status code=429]]";
    const form = client.images.edit({ image: await png(8, 8), prompt: status });

    expect(await refused(client.images.generate({ prompt: status }))).toStartWith("429");
    expect(await refused(form)).toStartWith("429");
  });

  test("apply to streams and usage, and leave no text on the image", async () => {
    const model = "gpt-image-1";
    const post = (body: JsonObject) =>
      call(sandbox, GENERATIONS, { model, quality: "low", ...body });
    const spoilt = await fetch(sandbox.url + GENERATIONS, {
      method: "POST",
      headers: { authorization: "Bearer x", "content-type": "application/json" },
      body: JSON.stringify({
        model,
        prompt: "x [[fault:truncate events=1]]",
        stream: true,
        partial_images: 3,
      }),
    });
    const free = await post({ prompt: "x [[fault:nousage]]" });
    const plain = await post({ prompt: "x" });

    expect(eventsIn(await spoilt.text())).toHaveLength(1);
    expect(at(free.answer, "usage")).toBeUndefined();
    expect(at(free.answer, "data")).toEqual(at(plain.answer, "data") ?? null);
  });
});

withShared("schemas", () => {
  const schema = openapiSchemas(`${SHARED}/schemas/openai.openapi.yaml`);
  const problems = (one: ZodType, value: unknown) => one.safeParse(value).error?.issues ?? [];
  const post = (path: string, body: JsonObject) =>
    fetch(sandbox.url + path, {
      method: "POST",
      headers: { authorization: "Bearer x", "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test.each<JsonObject>([
    { prompt: "x" },
    { prompt: "x", model: "dall-e-3", style: "vivid", quality: "hd", user: "u" },
    { prompt: "x", model: "gpt-image-1", n: 2, quality: "low", moderation: "low" },
    { prompt: "x", model: "gpt-image-1.5", output_format: "webp", background: "transparent" },
  ])("images conform to the vendor's own description: %j", async (body) => {
    const answer: unknown = await (await post(GENERATIONS, body)).json();

    expect(problems(schema("CreateImageRequest"), body)).toEqual([]);
    expect(problems(schema("ImagesResponse"), answer)).toEqual([]);
    const usage = (answer as { usage?: unknown }).usage;
    if (usage !== undefined) expect(problems(schema("ImageGenUsage"), usage)).toEqual([]);
  });

  test("streams and edits conform as well", async () => {
    const stream = { stream: true, partial_images: 1, prompt: "x" };
    const edit = { ...stream, images: [{ image_url: pngUrl(8, 8) }] };
    const events = async (path: string, body: JsonObject) =>
      eventsIn(await (await post(path, body)).text()).map(parseJson);
    const [partial, completed] = await events(GENERATIONS, { model: "gpt-image-1", ...stream });
    const [partEdit, fullEdit] = await events(EDITS, edit);

    expect(problems(schema("EditImageBodyJsonParam"), edit)).toEqual([]);
    expect(problems(schema("ImageGenPartialImageEvent"), partial)).toEqual([]);
    expect(problems(schema("ImageGenCompletedEvent"), completed)).toEqual([]);
    expect(problems(schema("ImageEditPartialImageEvent"), partEdit)).toEqual([]);
    expect(problems(schema("ImageEditCompletedEvent"), fullEdit)).toEqual([]);
    expect(problems(schema("ImageEditCompletedEvent"), partEdit)).not.toEqual([]);
  });
});

describe("the newest models", () => {
  const draw = async (more: JsonObject) =>
    call(sandbox, GENERATIONS, { model: "gpt-image-2.5-flare", prompt: PROMPT, ...more });

  test("follow quality options, in any size, as images, animations or vectors", async () => {
    const asked = { quality: "max", complexity: "low", size: "1600x800" };
    const { answer } = await draw(asked);
    expect(await look(textAt(answer, "data", 0, "b64_json"))).toBe("png 1600x800");

    const moving = await draw({ output_format: "gif", frame_count: 3, frame_duration_ms: 100 });
    const gif = bytes(textAt(moving.answer, "data", 0, "b64_json"));
    expect([gif.subarray(0, 6).toString(), gif.filter((byte) => byte === 0x2c).length]).toEqual([
      "GIF89a",
      3,
    ]);
    const lines = await draw({ output_format: "svg" });
    expect(bytes(textAt(lines.answer, "data", 0, "b64_json")).toString()).toContain(PROMPT);
  });

  test.each<[string, JsonObject, string]>([
    ["frames of a still image", { frame_count: 3 }, "frame_count"],
    ["a stream of a moving one", { output_format: "gif", stream: true }, "stream"],
    ["several vectors", { output_format: "svg", n: 2 }, "n"],
    ["a fidelity", { input_fidelity: "high" }, "input_fidelity"],
    ["an older model's quality", { model: "gpt-image-2", quality: "max" }, "quality"],
    ["an older model's format", { model: "gpt-image-2", output_format: "svg" }, "output_format"],
  ])("refuse %s", async (_what, more, param) => {
    expect(
      refusal(await draw(more))
        .split(" | ")
        .slice(0, 3),
    ).toEqual(["400", "invalid_request_error", param]);
  });

  test("accept a drawing over the first image, and no mask beside it", async () => {
    const given = { image_url: pngUrl(64, 64) };
    const edit = (more: JsonObject) =>
      call(sandbox, EDITS, {
        model: "gpt-image-2.5-sunburst",
        prompt: PROMPT,
        images: [given],
        markup: given,
        ...more,
      });

    expect((await edit({})).status).toBe(200);
    expect(refusal(await edit({ mask: given }))).toContain("markup");
    expect(refusal(await edit({ model: "gpt-image-2" }))).toContain("markup");
  });
});
