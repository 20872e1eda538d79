import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { lookAt, pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

const V3 = "doubao-seedream-3-0-t2i-250415";
const SEEDEDIT = "doubao-seededit-3-0-i2i-250628";
const V4 = "doubao-seedream-4-0-250828";
const V4_5 = "doubao-seedream-4-5-251128";
const DRAW = "qwen-image-plus";
const EDIT = "qwen-image-edit";
const EDIT_PLUS = "qwen-image-edit-plus";

let sandbox: Sandbox;
let gateway: TestGateway;
let books: Books;
beforeAll(async () => {
  sandbox = await startSandbox();
  const prices = [V3, V4].map((model) => `"${model}": { input: 1, output: 30 }`);
  gateway = await openTestGateway({
    yaml: `
channels:
  - { name: ark, provider: ark, base_url: "${sandbox.url}/ark/api/v3", api_key: sk-test, models: [${V3}, ${SEEDEDIT}, ${V4}, ${V4_5}] }
  - { name: cloud, provider: dashscope, base_url: "${sandbox.url}/dashscope/compatible-mode/v1", api_key: sk-test, models: [${DRAW}, ${EDIT}, ${EDIT_PLUS}] }
models: { ${prices.join(", ")} }`,
    env: { SLUICE_LIMIT_ATTEMPTS: "1" },
  });
  books = openBooks(gateway.dataDir);
});
afterAll(async () => {
  books.close();
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

/** Refused rather than asked without a field. */
async function ask(body: JsonObject) {
  const response = await gateway.post(
    "/v1/images/generations",
    { prompt: "A paper fox", ...body },
    { "sluice-strict": "true" },
  );
  const { msg, data } = (await response.json()) as {
    readonly msg: string;
    readonly data: { readonly data: readonly { url: string; b64_json: string }[] } | null;
  };
  return { said: `${response.status} ${msg}`, made: data?.data ?? [] };
}

/** What was made, each as `png 1024x1024`. */
async function drawn(body: JsonObject): Promise<readonly string[]> {
  const { made } = await ask({ ...body, response_format: "b64_json" });
  return await Promise.all(made.map((each) => lookAt(Buffer.from(each.b64_json, "base64"))));
}

const FINE = "200 Operation successful";
const GIVEN = pngUrl(800, 400);

describe("[A4.11-c] Ark makes images", () => {
  const SMALL = "1024x1024 1152x864 864x1152 1280x720 720x1280 1248x832 832x1248 1512x648";
  const MIDDLE =
    "2048x2048 2304x1728 1728x2304 2560x1440 1440x2560 2496x1664 1664x2496 3024x1296 2K";
  const LARGE =
    "4096x4096 4704x3520 3520x4704 5504x3040 3040x5504 4992x3328 3328x4992 6240x2656 4K";
  test.each([
    [V3, SMALL],
    [V4, `${MIDDLE} ${LARGE} 1K`],
    [V4_5, `${MIDDLE} ${LARGE}`],
  ])("by %s in the sizes that the gateway accepts", async (model, sizes) => {
    for (const size of sizes.split(" ")) {
      expect([size, (await ask({ model, size })).said]).toEqual([size, FINE]);
    }
  });

  test("as requested", async () => {
    expect(await drawn({ model: V3, size: "1152x864", seed: 7, guidance_scale: 10 })).toEqual([
      "png 1152x864",
    ]);
    expect(await drawn({ model: SEEDEDIT, image: GIVEN, size: "adaptive" })).toHaveLength(1);
    expect(await drawn({ model: V4, image: [GIVEN, GIVEN], size: "2048x2048" })).toEqual([
      "png 2048x2048",
    ]);
  });

  test("in sets of the requested size, as often as requested", async () => {
    const prompt = "Three paper foxes";
    const set = await ask({ model: V4, prompt, sequential_image_generation: "auto" });
    const apart = await ask({ model: V4, n: 2 });

    expect([set.said, set.made.length]).toEqual([FINE, 3]);
    expect([apart.said, apart.made.length]).toEqual([FINE, 2]);
  });

  test("of a partly failed set, which is charged for those", async () => {
    const prompt = "Four paper foxes, please fail image 2";
    const { said, made } = await ask({ model: V4, prompt, sequential_image_generation: "auto" });

    expect([said, made.length]).toEqual([FINE, 3]);
    expect(await books.whenSettled()).toEqual([]);
    // A token for each 256 pixels.
    expect(books.calls().at(-1)?.["cost"]).toBe(3 * ((2_048 * 2_048) / 256) * 30_000);
  });

  test("unless the content is blocked", async () => {
    const { said } = await ask({ model: V4, prompt: "please refuse" });

    expect(said).toStartWith("400 ");
    expect(said).toContain("sensitive");
  });

  test("of a streamed set one by one", async () => {
    const response = await gateway.post("/v1/images/generations", {
      model: V4,
      prompt: "Two paper foxes",
      sequential_image_generation: "auto",
      stream: true,
    });
    const text = await response.text();

    expect(text.match(/^event: image_generation\.completed$/gm)).toHaveLength(2);
    expect(text).not.toContain("event: error");
  });
});

describe("[A4.11-e] DashScope makes images", () => {
  test.each([
    [DRAW, "1328*1328"],
    [DRAW, "1664*928"],
    [DRAW, "1140*1472"],
    [EDIT_PLUS, "512*2048"],
  ])("by %s in %s", async (model, size) => {
    const image = model === DRAW ? {} : { image: GIVEN };

    expect(await drawn({ model, size, ...image })).toEqual([`png ${size.replace("*", "x")}`]);
  });

  test("as many as one request allows", async () => {
    const parameters = { n: 6, negative_prompt: "blur", prompt_extend: false, seed: 0 };
    const content = [{ image: GIVEN }, { image: GIVEN }, { image: GIVEN }];
    const messages = [{ role: "user", content }];

    const { said, made } = await ask({ model: EDIT_PLUS, input: { messages }, parameters });

    expect([said, made.length]).toEqual([FINE, 6]);
  });

  test("by the plain edit model, and from files in the vendor's own storage", async () => {
    const image = "oss://bucket/fox.png";

    expect((await ask({ model: EDIT, image })).said).toBe(FINE);
  });

  test("unless the content is blocked", async () => {
    const { said } = await ask({ model: DRAW, prompt: "please refuse" });

    expect(said).toStartWith("400 ");
    expect(said).toContain("inappropriate");
  });
});
