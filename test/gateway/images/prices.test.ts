import { describe, expect, test } from "bun:test";
import { openBooks } from "#test/books.ts";
import { openTestGateway } from "#test/harness.ts";
import { BASE64, openPictureVendor } from "#test/picture-vendor.ts";
import type { JsonObject } from "#lib/json.ts";

/** As the documentation writes them, and as the catalogue does. */
const PRICES = `
models:
  painter: { image: 0.04, grades: { 4K: { image: 0.24 }, 1024x1792: { image: 0.08 }, high 1024x1536: { image: 0.2 } } }
  gemini-3-pro-image: { image: 0.13, grades: { 4K: { image: 0.24 } } }`;
const CENT = 10_000_000;

const one = () => Response.json({ data: [{ b64_json: BASE64 }] });

async function costOf(requested: JsonObject, respond: () => Response = one): Promise<number> {
  await using vendor = openPictureVendor(respond);
  await using gateway = await openTestGateway({
    yaml: `
channels:
  - { name: one, provider: openai-compatible, base_url: "${vendor.url}", api_key: upstream-secret, models: [painter] }
  - { name: two, provider: openai, base_url: "${vendor.url}", api_key: upstream-secret, models: [dall-e-3, gpt-image-1.5] }
  - { name: three, provider: gemini, base_url: "${vendor.url}", api_key: upstream-secret, models: [gemini-3-pro-image] }
${PRICES}`,
  });
  using books = openBooks(gateway.dataDir);
  const asked = { model: "painter", prompt: "a fox", ...requested };
  const answer = await gateway.post("/v1/images/generations", asked);
  expect(answer.status).toBe(200);
  await answer.text();
  expect(await books.whenSettled()).toEqual([]);
  return books.spent();
}

test.each<[string, JsonObject, number]>([
  ["of no size", {}, 4],
  ["of a size without a separate price", { size: "512x512" }, 4],
  ["of a size with one", { size: "1024x1792" }, 8],
  ["of such a size, in a quality without one", { size: "1024x1792", quality: "high" }, 8],
  ["of a size and a quality with one", { size: "1024x1536", quality: "high" }, 20],
  ["of such a size in another quality", { size: "1024x1536", quality: "low" }, 4],
  ["of a named size", { size: "4K" }, 24],
  ["of a size with its own name, in any shape", { size: "16:9", image_size: "4K" }, 24],
])("an image %s has the price of its kind", async (_, requested, cents) => {
  expect(await costOf(requested)).toBe(cents * CENT);
});

test.each(["4K", "4k", " 4k "])(
  "an image that a vendor makes in 4K has the price of 4K (%j)",
  async (size) => {
    const drawn = { inlineData: { mimeType: "image/png", data: BASE64 } };
    const respond = () => Response.json({ candidates: [{ content: { parts: [drawn] } }] });

    const cost = await costOf({ model: "gemini-3-pro-image", image_size: size }, respond);

    expect(cost).toBe(24 * CENT);
  },
);

test.each<[string, JsonObject, number]>([
  ["without further options", {}, 4],
  ["in its better quality", { quality: "hd" }, 8],
  ["in its better quality and its usual size", { quality: "hd", size: "1024x1024" }, 8],
  ["that is tall", { size: "1024x1792" }, 8],
  ["that is tall, in its better quality", { quality: "hd", size: "1024x1792" }, 12],
])(
  "an image of the catalogue's more expensive kinds (%s) has its vendor's price",
  async (_, requested, cents) => {
    expect(await costOf({ model: "dall-e-3", ...requested })).toBe(cents * CENT);
  },
);

describe("images that are charged by tokens", () => {
  /** Of gpt-image-1.5: a million tokens of words out are 10 dollars, of pictures 32. */
  const COUNTED = 10 * 5_000 + 1_000 * 32_000;
  const counted = { input_tokens: 10, output_tokens: 1_000, total_tokens: 1_010 };

  test.each<[string, JsonObject]>([
    [
      "reports their tokens separately",
      { output_tokens_details: { image_tokens: 1_000, text_tokens: 0 } },
    ],
    ["tells no kinds of them apart", {}],
  ])("have image tokens if the vendor %s", async (_, details) => {
    const usage = { ...counted, ...details };
    const answer = () => Response.json({ data: [{ b64_json: BASE64 }], usage });

    expect(await costOf({ model: "gpt-image-1.5" }, answer)).toBe(COUNTED);
  });

  test.each<[string, JsonObject]>([
    ["at once", {}],
    ["in a stream", { stream: true }],
  ])("have the minimum cost if no usage is reported (%s)", async (_, more) => {
    const event = { type: "image_generation.completed", b64_json: BASE64 };
    const answer = () =>
      "stream" in more
        ? new Response(`data: ${JSON.stringify(event)}\n\n`, {
            headers: { "content-type": "text/event-stream" },
          })
        : one();

    // A token of its words, and 4,160 of the picture.
    const cost = await costOf({ model: "gpt-image-1.5", quality: "high", ...more }, answer);

    expect(cost).toBe(2 * 5_000 + 4_160 * 32_000);
  });

  test("have the same cost in a stream without separate token kinds", async () => {
    const event = { type: "image_generation.completed", b64_json: BASE64, usage: counted };
    const answer = () =>
      new Response(`data: ${JSON.stringify(event)}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });

    expect(await costOf({ model: "gpt-image-1.5", stream: true }, answer)).toBe(COUNTED);
  });
});
