import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { ImageEvent, ImageRequest, MadePicture } from "#core/image.ts";
import { LossReport } from "#core/lossy.ts";
import { NO_USAGE } from "#core/usage.ts";
import { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import type { ImageDialect } from "./dialect.ts";
import { generations, images } from "./index.ts";

const QUESTION: ImageRequest = {
  model: "m",
  task: "generate",
  turns: [{ role: "user", parts: ["a fox"] }],
  stream: false,
};

function built(more: Partial<ImageRequest>, dialect: ImageDialect = {}) {
  const report = new LossReport();
  const body = images.outbound.build(
    { ...QUESTION, ...more },
    { report, model: {}, dialect: { ...dialect } },
  );
  return { body: body instanceof Form ? body.parts : body, lost: report.fields };
}

describe("an image request", () => {
  test("has every field of the client if the upstream's features are unknown", () => {
    const options = {
      count: 2,
      size: "2K",
      fidelity: "auto",
      series: { mode: "auto", max: 3 },
    } as const;

    expect(built({ ...options, rewriteMode: "fast", withText: true, extra: { steps: 4 } })).toEqual(
      {
        body: {
          model: "m",
          prompt: "a fox",
          n: 2,
          size: "2K",
          input_fidelity: "auto",
          sequential_image_generation: "auto",
          sequential_image_generation_options: { max_images: 3 },
          optimize_prompt_options: { mode: "fast" },
          response_modalities: "image-text",
          steps: 4,
        },
        lost: [],
      },
    );
  });

  test("omits fields that the upstream does not support, and reports them unless they are defaults", () => {
    const dialect = { takes: ["size"] };

    expect(
      built({ count: 1, fidelity: "auto", watermark: false, delivery: "base64" }, dialect).lost,
    ).toEqual([]);
    expect(built({ count: 2, fidelity: "low", watermark: true, delivery: "url" }, dialect)).toEqual(
      {
        body: { model: "m", prompt: "a fox" },
        lost: ["n", "response_format", "input_fidelity", "watermark"],
      },
    );
  });

  test("has the upstream's own values and names", () => {
    const dialect: ImageDialect = {
      names: { image_size: "resolution" },
      words: { image_size: { "1K": "1k" }, response_format: { b64_json: "base64", url: null } },
      sizeAsSides: true,
      defaults: { quality: "high" },
    };

    expect(built({ resolution: "1K", delivery: "url", size: "64x32" }, dialect).body).toEqual({
      model: "m",
      prompt: "a fox",
      quality: "high",
      resolution: "1k",
      width: 64,
      height: 32,
    });
    expect(built({ size: "2K" }, { sizeAsSides: true }).lost).toEqual(["size"]);
  });

  test("joins several texts to one, with a report", () => {
    const turns = [
      { role: "user", parts: ["a fox"] },
      { role: "model", parts: ["Here it is."] },
      { role: "user", parts: ["in snow"] },
    ] as const;

    expect(built({ turns })).toEqual({
      body: { model: "m", prompt: "a fox\nHere it is.\nin snow" },
      lost: ["contents"],
    });
  });

  test("has no file ids if the upstream stores no files", () => {
    const turns = [{ role: "user", parts: [{ kind: "reference", id: "file-1" }, "a"] }] as const;

    expect(() => built({ task: "edit", turns })).toThrow("stores no files");
  });

  test("has no mask if the model does not support it", () => {
    const mask = { kind: "base64", base64: "AA==", mediaType: "image/png" } as const;
    const turns = [{ role: "user", parts: [mask, "a"] }] as const;

    expect(() => built({ task: "edit", turns, mask }, { takes: ["n"] })).toThrow("'mask'");
  });
});

describe("an image stream", () => {
  const picture: MadePicture = { base64: "AA==", size: "64x64" };
  const about = { size: "64x64", quality: "low" };
  const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 4, imageOutputTokens: 4 };

  const decoded = (text: string, count = 1): ImageEvent[] => {
    const decoder = images.outbound.openDecoder?.({ ...QUESTION, count });
    return readEvents(text).flatMap((event) => [...(decoder?.read(event) ?? [])]);
  };

  test("is read as it was written", () => {
    const events: ImageEvent[] = [
      { type: "partial", index: 0, step: 0, picture, about },
      { type: "picture", index: 0, picture, about },
      { type: "partial", index: 1, step: 0, picture, about },
      { type: "picture", index: 1, picture, about, usage },
    ];
    const encoder = generations.inbound.openEncoder({ ...QUESTION, count: 2 }, 17);
    const pieces = events.map((each) => (each.type === "end" ? "" : encoder.encode(each)));

    const read = decoded(pieces.join("") + encoder.end(usage), 2);

    // What was used goes with the last picture, which waits for it; the others do not.
    expect(pieces.map((piece) => piece === "")).toEqual([false, false, false, true]);
    const dated = { ...about, created_at: 17 };
    expect(read.slice(0, 4)).toEqual(
      events.map((each) => ({ ...each, about: dated })) as ImageEvent[],
    );
    expect(read.length).toBe(5);
  });

  test("ends with the last image, or at the upstream's end mark", () => {
    const one = `data: {"type":"image_generation.completed","b64_json":"AA=="}\n\n`;

    expect(decoded(one).map(({ type }) => type)).toEqual(["picture", "end"]);
    expect(decoded(one, 2).map(({ type }) => type)).toEqual(["picture"]);
    expect(decoded(`${one}data: [DONE]\n\n`, 2).map(({ type }) => type)).toEqual([
      "picture",
      "end",
    ]);
  });

  test("ignores unknown events", () => {
    const odd = [
      `data: {"type":"keepalive"}`,
      "data: no JSON",
      `data: {"type":"new","b64_json":"AA=="}`,
    ];

    expect(decoded(odd.map((each) => `${each}\n\n`).join(""))).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ["in a separate event", { type: "error", error: { code: "server_error", message: "No." } }],
    ["beside its type", { type: "error", code: "server_error", message: "No." }],
    ["in place of an event", { error: { message: "No." } }],
  ])("that fails %s is a failure", (_, event) => {
    expect(() => decoded(`data: ${JSON.stringify(event)}\n\n`)).toThrow(GatewayError);
    expect(() => decoded(`data: ${JSON.stringify(event)}\n\n`)).toThrow("No.");
  });
});
