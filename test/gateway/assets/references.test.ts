import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { openBooks } from "#test/books.ts";
import { openAssetVendor, arkChannel, type AssetVendor } from "#test/asset-vendor.ts";
import { KEY } from "#test/harness.ts";
import { openAssetPlace, SEEDANCE, type AssetPlace } from "./asset-place.ts";

const ELSEWHERE = "doubao-seedance-1-5-pro";
const KLING = "kling-v2-6";
const KLING_3 = "kling-3.0";
const JIMENG = "jimeng_ti2v_v30_pro";
const VIDU = "viduq2";
const HAILUO = "MiniMax-H3";

let other: AssetVendor;
let place: AssetPlace;
beforeAll(async () => {
  other = openAssetVendor();
  const { url } = other.vendor;
  const plain = (name: string, models: string): string =>
    `  - { name: ${name}, provider: ${name}, base_url: "${url}", api_key: some-key, models: [${models}] }`;
  place = await openAssetPlace({
    more: [
      arkChannel(url, "elsewhere", [ELSEWHERE, SEEDANCE]).replace("name:", "priority: 9, name:"),
      plain("kling", `${KLING}, ${KLING_3}`),
      plain("jimeng", JIMENG),
      plain("vidu", VIDU),
      plain("minimax", HAILUO),
    ].join("\n"),
  });
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

/** Every way to ask for a video, with a picture, a film or a recording by a link. */
const ENTRIES: readonly (readonly [string, string, (url: string) => object])[] = [
  [
    "protocol A",
    "/videoa/api/v3/contents/generations/tasks",
    (url) => ({
      model: SEEDANCE,
      content: [
        { type: "text", text: "a fox" },
        { type: "image_url", image_url: { url }, role: "reference_image" },
      ],
    }),
  ],
  [
    "the unified endpoint",
    "/v1/video/generations",
    (url) => ({ model: SEEDANCE, prompt: "a fox", image: url }),
  ],
  [
    "the unified endpoint's list of content",
    "/v1/video/generations",
    (url) => ({
      model: SEEDANCE,
      metadata: {
        content: [
          { type: "text", text: "a fox" },
          { type: "image_url", image_url: { url }, role: "first_frame" },
        ],
      },
    }),
  ],
  [
    "the endpoint for video objects",
    "/v1/videos",
    (url) => ({ model: SEEDANCE, prompt: "a fox", input_reference: url }),
  ],
  [
    "protocol C",
    "/videoc/ent/v2/img2video",
    (url) => ({ model: VIDU, prompt: "a fox", images: [url] }),
  ],
  [
    "protocol D",
    "/videod/v2/video_generation",
    (url) => ({
      model: HAILUO,
      resolution: "768P",
      duration: 6,
      content: [
        { type: "text", text: "a fox" },
        { type: "image_url", image_url: { url }, role: "first_frame" },
      ],
    }),
  ],
  [
    "protocol B",
    "/videob?Action=CVSync2AsyncSubmitTask",
    (url) => ({ req_key: JIMENG, prompt: "a fox", image_urls: [url] }),
  ],
  [
    "protocol E's first style",
    "/videoe/v1/videos/image2video",
    (url) => ({ model_name: KLING, prompt: "a fox", image: url }),
  ],
  [
    "protocol E's newer style",
    `/videoe/image-to-video/${KLING_3}`,
    (url) => ({
      contents: [
        { type: "first_frame", url },
        { type: "prompt", text: "a fox" },
      ],
    }),
  ],
];

describe.each(ENTRIES)("[B4.9-e] a reference to an asset by %s", (_entry, path, bodyWith) => {
  const ask = async (url: string, key = KEY) => {
    const response = await place.gateway.post(path, bodyWith(url), {
      authorization: `Bearer ${key}`,
    });
    return { status: response.status, text: await response.text() };
  };
  const untouched = async (work: () => Promise<void>): Promise<void> => {
    const before = requests();
    const held = holds();
    await work();
    expect(requests()).toEqual(before);
    expect(holds()).toBe(held);
  };

  test("that is unknown or belongs to another user is refused alike, before money is reserved", async () => {
    const key = await place.keyOf(`stranger${path.length}${_entry.length}`);
    const id = await place.active();
    await untouched(async () => {
      const unknown = await ask("asset://asset-none");
      const foreign = await ask(`asset://${id}`, key);

      expect([unknown.status, foreign.status]).toEqual([400, 400]);
      expect(unknown.text).toContain("asset asset-none is not available");
      expect(foreign.text).toContain(`asset ${id} is not available`);
    });
  });

  test("that is deleted is refused", async () => {
    const id = await place.active();
    await place.act("DeleteAsset", { Id: id });

    const { status, text } = await ask(`asset://${id}`);

    expect([status, text]).toEqual([400, expect.stringContaining(`asset ${id} is not available`)]);
  });

  test("that is not active is refused", async () => {
    const group = await place.act("CreateAssetGroup", { Name: "films" });
    const made = await place.act("CreateAsset", {
      GroupId: group.result["Id"],
      URL: "https://example.com/a.png",
      AssetType: "image",
    });
    const id = textOf(made.result["Id"]) ?? "";

    const { status, text } = await ask(`ASSET://${id}`);

    expect([status, text]).toEqual([400, expect.stringContaining(`asset ${id} is not active`)]);
  });

  test("of another kind is refused", async () => {
    const id = await place.active({ URL: "https://example.com/a.wav", AssetType: "audio" });
    await untouched(async () => {
      const { status, text } = await ask(`asset://${id}`);

      expect([status, text]).toEqual([400, expect.stringContaining("it is audio")]);
    });
  });
});

describe("[B4.9-e] a task that refers to assets", () => {
  const submit = async (content: readonly object[], model = SEEDANCE) => {
    const text = { type: "text", text: "a fox" };
    const body = { model, content: [text, ...content] };
    const response = await place.gateway.post("/videoa/api/v3/contents/generations/tasks", body);
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  const picture = (id: string) => ({
    type: "image_url",
    image_url: { url: `asset://${id}` },
    role: "reference_image",
  });

  test("runs at the account that has them, with the vendor's ids", async () => {
    const [one, two] = [await place.active(), await place.active()];
    const before = [place.at.tasks().length, other.tasks().length];

    // Both channels have the model.
    for (let tries = 0; tries < 5; tries++) {
      expect((await submit([picture(one), picture(two)])).status).toBe(200);
    }

    expect(place.at.tasks()).toHaveLength((before[0] ?? 0) + 5);
    expect(other.tasks()).toHaveLength(before[1] ?? 0);
    const text = JSON.stringify(place.at.tasks().at(-1));
    expect(text).toContain(`"url":"asset://${one}"`);
    expect(text).toContain(`"url":"asset://${two}"`);
  });

  test("is refused if its model is on another account", async () => {
    const { status, body } = await submit([picture(await place.active())], ELSEWHERE);

    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain("asset references must use the same channel");
    expect(other.tasks()).toEqual([]);
  });

  test("is refused for an unknown model, like any task", async () => {
    const { status, body } = await submit([picture(await place.active())], "seedance-9");

    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining("unsupported seedance model: seedance-9"),
    ]);
  });

  test("is refused if a reference is in a field that is passed through unchanged", async () => {
    const id = await place.active();
    const key = await place.keyOf("hider");
    for (const hidden of [`asset://${id}`, " Asset://x"]) {
      const response = await place.gateway.post(
        "/v1/video/generations",
        { model: SEEDANCE, prompt: "a fox", metadata: { anything: { deep: [hidden] } } },
        { authorization: `Bearer ${key}` },
      );

      expect(response.status).toBe(400);
      expect(await response.text()).toContain("only in media fields");
    }
  });

  test.each([
    "asset://",
    "asset://a/b",
    "asset://a?b",
    "asset://../x",
    "asset://a%2fb",
    "asset:// a",
  ])("is refused for an invalid reference: %s", async (url) => {
    const { status } = await submit([{ type: "image_url", image_url: { url } }]);

    expect(status).toBe(400);
  });
});

/** What calls made the gateway ask of both vendors. */
function requests(): readonly string[] {
  return [...place.at.requests(), ...other.requests()];
}

/** All that was ever held, settled or granted. */
function holds(): number {
  using books = openBooks(place.gateway.dataDir);
  return books.count("ledger");
}
