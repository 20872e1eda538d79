import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { BASE64, dataUri, PNG } from "#test/picture-vendor.ts";
import { openPlace } from "./picture-place.ts";

const PATH = "/v1/images/generations";
const answer = (): Response => Response.json({ data: [{ b64_json: BASE64 }] });

const WISHES = {
  n: 1,
  size: "768x512",
  quality: "best",
  response_format: "b64_json",
  seed: 7,
  negative_prompt: "rain",
  guidance_scale: 4,
  image_size: "1K",
  aspect_ratio: "3:2",
  num_inference_steps: 20,
};

test.each<[string, JsonObject, string | null]>([
  ["openai-compatible", WISHES, null],
  ["vllm", WISHES, null],
  ["azure-openai", WISHES, null],
  [
    "together",
    { ...omit(WISHES, "size"), width: 768, height: 512, response_format: "base64" },
    null,
  ],
  [
    "xai",
    { n: 1, response_format: "b64_json", resolution: "1k", aspect_ratio: "3:2" },
    "size, quality, guidance_scale, negative_prompt, seed, num_inference_steps",
  ],
  [
    "ollama",
    { size: "768x512" },
    "quality, aspect_ratio, image_size, guidance_scale, negative_prompt, seed, num_inference_steps",
  ],
])("an upstream such as %s gets only fields that it may know", async (provider, sent, lost) => {
  await using place = await openPlace(answer, provider, ["my-image-model"]);

  const told = await place.gateway.post(PATH, {
    model: "my-image-model",
    prompt: "a fox",
    ...WISHES,
  });

  expect(told.status).toBe(200);
  expect(place.vendor.last.path).toBe("/v1/images/generations");
  expect(place.vendor.last.body).toEqual({ model: "my-image-model", prompt: "a fox", ...sent });
  expect(told.headers.get("sluice-lossy")).toBe(lost);
});

function omit(value: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
}

test("a compatible upstream gets images as files, and its own fields", async () => {
  await using place = await openPlace(answer, "openai-compatible", ["my-image-model"]);
  const body = { model: "my-image-model", image: BASE64, strength: 0.4, options: { steps: 3 } };

  const told = await place.gateway.post(PATH, body, { "sluice-strict": "true" });

  expect(told.status).toBe(200);
  expect(place.vendor.last.path).toBe("/v1/images/edits");
  expect(place.vendor.last.body).toEqual({
    model: "my-image-model",
    strength: "0.4",
    options: '{"steps":3}',
  });
  expect(place.vendor.last.files).toEqual([
    { field: "image", name: "image-1.png", type: "image/png", bytes: PNG },
  ]);
});

test.each(["xai", "together", "ollama"])("%s gets no images", async (provider) => {
  await using place = await openPlace(answer, provider, ["my-image-model"]);

  const refused = await place.gateway.post(PATH, {
    model: "my-image-model",
    prompt: "a",
    image: BASE64,
  });

  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { param: "image" } });
  expect(place.vendor.seen).toEqual([]);
});

test("a deployment has its maker's rules if its name shows the maker", async () => {
  await using place = await openPlace(answer, "azure-openai", ["gpt-image-1"]);

  await place.gateway.post(PATH, { model: "gpt-image-1", prompt: "a fox" });

  expect(place.vendor.last.body).toMatchObject({ size: "1024x1024", quality: "high" });
  expect(place.vendor.last.headers.get("api-key")).toBe("upstream-secret");
});

test("a data URI in a response is the image itself, in any field", async () => {
  const uri = dataUri("image/webp", PNG);
  await using place = await openPlace(
    () => Response.json({ data: [{ url: uri }, { b64_json: uri }] }),
    "openai-compatible",
    ["my-image-model"],
  );

  const told = await place.gateway.post("/openai/v1/images/generations", {
    model: "my-image-model",
    prompt: "a",
  });

  expect(await told.json()).toMatchObject({ data: [{ b64_json: BASE64 }, { b64_json: BASE64 }] });
});
