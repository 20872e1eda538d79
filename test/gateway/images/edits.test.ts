import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { JsonObject } from "#lib/json.ts";
import { openBooks } from "#test/books.ts";
import { KEY } from "#test/harness.ts";
import { BASE64, dataUri, GIF, PNG } from "#test/picture-vendor.ts";
import { openPlace, type Place } from "./picture-place.ts";

const DEFAULTS = { size: "1024x1024", quality: "high" };
const PATHS = ["/v1/images/edits", "/openai/v1/images/edits"];
const [EDITS = ""] = PATHS;

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

type Part = readonly [string, string | File];
const picture = (name = "fox.png"): File => new File([PNG], name, { type: "image/png" });
const ASKED: readonly Part[] = [
  ["model", "gpt-image-1"],
  ["prompt", "in snow"],
];

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
}

const send = (
  path: string,
  body: FormData | Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(place.gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    body,
  });

describe("a form", () => {
  test.each(PATHS)(
    "at %s is sent in the vendor's format, and its response is in the endpoint's",
    async (path) => {
      const answer = await send(
        path,
        formOf([...ASKED, ["n", "2"], ["image", picture()], ["mask", picture()]]),
      );

      expect(await answer.json()).toEqual({
        created: 1_769_567_828,
        background: "opaque",
        output_format: "png",
        quality: "high",
        size: "1024x1024",
        data: [{ b64_json: BASE64 }, { b64_json: BASE64 }],
        usage: expect.objectContaining({
          input_tokens: 10,
          output_tokens: 2_112,
          total_tokens: 2_122,
        }),
      });
      expect(place.vendor.last.path).toBe("/v1/images/edits");
      expect(place.vendor.last.body).toEqual({
        model: "gpt-image-1",
        prompt: "in snow",
        n: "2",
        ...DEFAULTS,
      });
      expect(place.vendor.last.files).toEqual([
        { field: "image", name: "image-1.png", type: "image/png", bytes: PNG },
        { field: "mask", name: "mask.png", type: "image/png", bytes: PNG },
      ]);
    },
  );

  test.each<[string, Part[]]>([
    [
      "by one name",
      [
        ["image", picture()],
        ["image", picture()],
      ],
    ],
    [
      "as a list",
      [
        ["image[]", picture()],
        ["image[]", picture()],
      ],
    ],
    [
      "as a numbered list",
      [
        ["image[0]", picture()],
        ["image[1]", picture()],
      ],
    ],
    [
      "as text",
      [
        ["image", dataUri("image/png", PNG)],
        ["image", BASE64],
      ],
    ],
    [
      "under names and types that lie",
      [
        ["image", new File([PNG], "a.gif", { type: "image/gif" })],
        ["image", new File([PNG], "", { type: "text/plain" })],
      ],
    ],
  ])("may have several images %s", async (_, parts) => {
    const answer = await send(EDITS, formOf([...ASKED, ...parts]), { "sluice-strict": "true" });

    expect(answer.status).toBe(200);
    expect(
      place.vendor.last.files.map(({ field, type, bytes }) => ({ field, type, bytes })),
    ).toEqual([
      { field: "image[]", type: "image/png", bytes: PNG },
      { field: "image[]", type: "image/png", bytes: PNG },
    ]);
  });

  test("may have numbers and flags as text, and empty fields", async () => {
    const more: Part[] = [
      ["output_compression", "70"],
      ["user", ""],
      ["background", ""],
      ["stream", "false"],
    ];

    const answer = await send(EDITS, formOf([...ASKED, ...more, ["image", picture()]]));

    expect(answer.status).toBe(200);
    const { output_compression: compression, user, background } = place.vendor.last.body;
    expect([compression, user, background]).toEqual(["70", undefined, undefined]);
  });

  test("may be compressed", async () => {
    const plain = new Response(formOf([...ASKED, ["image", picture()]]));
    const type = plain.headers.get("content-type") ?? "";

    const answer = await send(EDITS, Uint8Array.from(gzipSync(await plain.bytes())), {
      "content-type": type,
      "content-encoding": "gzip",
    });

    expect(answer.status).toBe(200);
    expect(place.vendor.last.files[0]?.bytes).toEqual(PNG);
  });

  test("repeated with its idempotency key gets the same response, with any boundary", async () => {
    using books = openBooks(place.gateway.dataDir);
    const key = { "idempotency-key": "edit-1" };
    const first = await (await send(EDITS, formOf([...ASKED, ["image", picture()]]), key)).text();
    await books.whenSettled();
    const [spent, asked] = [books.spent(), place.vendor.seen.length];

    const again = await send(EDITS, formOf([...ASKED, ["image", picture()]]), key);
    const other = await send(EDITS, formOf([...ASKED, ["image", new File([GIF], "fox.png")]]), key);

    expect(await again.text()).toBe(first);
    expect([books.spent(), place.vendor.seen.length]).toEqual([spent, asked]);
    expect(other.status).toBe(422);
  });

  const image: Part = ["image", picture()];
  test.each<[string, Part[], string, string]>([
    ["without an image", [...ASKED], "image", "required"],
    ["without words", [["model", "gpt-image-1"], image], "prompt", "required"],
    ["without a model", [["prompt", "a"], image], "model", "model"],
    ["with an invalid number", [...ASKED, image, ["n", "many"]], "n", "integer"],
    ["with an invalid flag", [...ASKED, image, ["stream", "perhaps"]], "stream", "true or false"],
    [
      "with one field twice",
      [...ASKED, image, ["size", "auto"], ["size", "auto"]],
      "size",
      "twice",
    ],
    [
      "with an invalid image",
      [...ASKED, ["image", new File(["hello"], "a.png", { type: "image/png" })]],
      "image",
      "not an image",
    ],
    [
      "with an invalid mask",
      [...ASKED, image, ["mask", new File(["hello"], "a.png")]],
      "mask",
      "not an image",
    ],
    ["with eleven images", [...ASKED, ...Array<Part>(11).fill(image)], "image", "10 at the most"],
  ])("%s is refused in the chat style's format", async (_, parts, param, words) => {
    const before = place.vendor.seen.length;

    const refused = await send(EDITS, formOf(parts));

    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      error: {
        message: expect.stringContaining(words),
        type: "invalid_request_error",
        param,
        code: "invalid_value",
      },
    });
    expect(place.vendor.seen.length).toBe(before);
  });

  test.each([
    [
      "with another boundary than stated",
      "--a\r\n\r\n--a--",
      "multipart/form-data; boundary=b",
      400,
    ],
    ["without a boundary", "--a--", "multipart/form-data", 400],
    ["of another kind", "model=gpt-image-1", "application/x-www-form-urlencoded", 415],
    [
      "with too many parts",
      `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'.repeat(201)}--b--`,
      "multipart/form-data; boundary=b",
      400,
    ],
    [
      "with a field too long",
      `--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${"x".repeat(1_100_000)}\r\n--b--`,
      "multipart/form-data; boundary=b",
      400,
    ],
  ])("%s is refused", async (_, body, type, status) => {
    const refused = await send(EDITS, body, { "content-type": type });

    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error: { type: "invalid_request_error" } });
  });
});

describe("JSON", () => {
  const post = (more: JsonObject): Promise<Response> =>
    place.gateway.post(
      EDITS,
      { model: "gpt-image-1", prompt: "in snow", ...more },
      { "sluice-strict": "true" },
    );

  test("may have images in the form of newer clients", async () => {
    const given = { image_url: dataUri("image/png", PNG) };

    const answer = await post({ images: [given, given], mask: given, input_fidelity: "high" });

    expect(answer.status).toBe(200);
    expect(place.vendor.last.files.map(({ field }) => field)).toEqual([
      "image[]",
      "image[]",
      "mask",
    ]);
    expect(place.vendor.last.body["input_fidelity"]).toBe("high");
  });

  test("may have a drawing over the first image that shows the area to change", async () => {
    const given = { image_url: dataUri("image/png", PNG) };
    const model = "gpt-image-2.5-flare";

    const answer = await post({ model, images: [given], markup: given });
    const form = await send(
      EDITS,
      formOf([
        ["model", model],
        ["prompt", "in snow"],
        ["image", picture()],
        ["markup", picture()],
      ]),
    );

    for (const each of [answer, form]) expect(each.status).toBe(200);
    expect(place.vendor.last.files.map(({ field }) => field)).toEqual(["image", "markup"]);
    const older = await post({ images: [given], markup: given });
    expect(older.status).toBe(400);
    expect(await older.json()).toMatchObject({ error: { param: "markup" } });
  });

  test("with a file id of the vendor is sent as JSON", async () => {
    const answer = await post({
      images: [{ file_id: "file-1" }, { image_url: dataUri("image/png", PNG) }],
      mask: { file_id: "file-2" },
    });

    expect(answer.status).toBe(200);
    expect(place.vendor.last.body).toEqual({
      model: "gpt-image-1",
      prompt: "in snow",
      ...DEFAULTS,
      images: [{ file_id: "file-1" }, { image_url: dataUri("image/png", PNG) }],
      mask: { file_id: "file-2" },
    });
  });

  test.each<[string, JsonObject, string]>([
    ["an image that is neither", { images: [{ url: "x" }] }, "images[0]"],
    ["no picture", { image: null }, "image"],
    ["a link to within", { images: [{ image_url: "http://169.254.169.254/latest" }] }, "image"],
  ])("with %s is refused", async (_, more, param) => {
    const refused = await post(more);

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param } });
  });
});

describe("a mask beside an image for a new generation", () => {
  const uri = dataUri("image/png", PNG);
  const asked = { model: "gpt-image-1", prompt: "in snow", image: uri, mask: uri };

  test("is sent as a file, like the mask of an edit", async () => {
    const answer = await place.gateway.post("/v1/images/generations", asked);

    expect(answer.status).toBe(200);
    expect(place.vendor.last.path).toBe("/v1/images/edits");
    expect(place.vendor.last.body).toEqual({
      model: "gpt-image-1",
      prompt: "in snow",
      ...DEFAULTS,
    });
    expect(place.vendor.last.files.map(({ field }) => field)).toEqual(["image", "mask"]);
  });

  test("is refused without an image that it could cover", async () => {
    const answer = await place.gateway.post("/v1/images/generations", { ...asked, image: null });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: "mask" } });
  });

  test("is refused for a model that would change the whole image", async () => {
    await using other = await openPlace(undefined, "ark", ["doubao-seedream-4-5-251128"]);

    const answer = await other.gateway.post("/v1/images/generations", {
      ...asked,
      model: "doubao-seedream-4-5-251128",
    });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: "mask" } });
    expect(other.vendor.seen).toEqual([]);
  });
});

describe("a variation", () => {
  const PATH = "/v1/images/variations";

  test.each([PATH, "/openai/v1/images/variations"])(
    "at %s is sent to the model that supports variations",
    async (path) => {
      const form = formOf([
        ["model", "dall-e-2"],
        ["n", "2"],
        ["size", "256x256"],
        ["image", new File([GIF], "a.gif")],
      ]);

      const answer = await send(path, form);

      expect(answer.status).toBe(200);
      expect(place.vendor.last.path).toBe("/v1/images/variations");
      expect(place.vendor.last.body).toEqual({ model: "dall-e-2", n: "2", size: "256x256" });
      expect(place.vendor.last.files).toMatchObject([
        { field: "image", name: "image-1.png", type: "image/png" },
      ]);
    },
  );

  test("is refused for other models, without an image, and as JSON", async () => {
    const other = await send(
      PATH,
      formOf([
        ["model", "gpt-image-1"],
        ["image", picture()],
      ]),
    );
    const none = await send(PATH, formOf([["model", "dall-e-2"]]));
    const json = await place.gateway.post(PATH, { model: "dall-e-2", image: BASE64 });

    expect([other.status, none.status, json.status]).toEqual([404, 400, 400]);
    expect(await other.text()).toContain("not in this way");
    expect(await json.text()).toContain("form");
  });
});
