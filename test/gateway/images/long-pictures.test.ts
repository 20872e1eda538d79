import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { json, openVendor, type Vendor } from "#test/adapter/vendor.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { dataUri, openPictureVendor, PNG, type PictureVendor } from "#test/picture-vendor.ts";

/** Behind its end a picture may go on, and nobody looks. */
const LONG = Uint8Array.from(Buffer.concat([PNG, Buffer.alloc(2_500_001, "a fox in snow")]));
const BASE64 = Buffer.from(LONG).toString("base64");
const GENERATIONS = "/openai/v1/images/generations";

let files: PictureVendor;
let native: Vendor;
let gateway: TestGateway;
beforeAll(async () => {
  files = openPictureVendor(() => json({ created: 1, data: [{ b64_json: BASE64 }] }));
  const parts = [{ inlineData: { mimeType: "image/png", data: BASE64 } }];
  native = openVendor(() => json({ candidates: [{ content: { parts }, finishReason: "STOP" }] }));
  gateway = await openTestGateway({
    yaml: `
channels:
  - { name: files, provider: openai, base_url: "${files.url}", api_key: secret, models: [gpt-image-1] }
  - { name: native, provider: gemini, base_url: "${native.url}", api_key: secret, models: [gemini-2.5-flash-image] }
models: { gpt-image-1: { input: 1, output: 1 }, gemini-2.5-flash-image: { input: 1, output: 1 } }`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
  await native[Symbol.asyncDispose]();
});

const drawnIn = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { data: { b64_json: string }[] }).data[0]?.b64_json ?? "";
const asked = (model: string): JsonObject => ({
  model,
  prompt: "é",
  image: dataUri("image/png", LONG),
});

function formWith(model: string): FormData {
  const form = new FormData();
  form.append("model", model);
  form.append("prompt", "é");
  form.append("image", new File([LONG], "fox.png", { type: "image/png" }));
  return form;
}

const sendForm = (model: string): Promise<Response> =>
  fetch(`${gateway.url}/v1/images/edits`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: formWith(model),
  });

describe("a large image", () => {
  const ways: [string, (model: string) => Promise<Response>][] = [
    ["JSON", (model) => gateway.post(GENERATIONS, asked(model))],
    ["a form", sendForm],
  ];
  test.each(ways)("in %s reaches its vendor byte for byte, as a file", async (_, send) => {
    const answer = await send("gpt-image-1");

    expect((await drawnIn(answer)) === BASE64).toBe(true);
    expect(files.last.body).toMatchObject({ model: "gpt-image-1", prompt: "é" });
    expect(files.last.files.map(({ bytes }) => Buffer.from(LONG).equals(bytes))).toEqual([true]);
  });

  test.each(ways)("in %s reaches its vendor byte for byte, in JSON", async (_, send) => {
    const answer = await send("gemini-2.5-flash-image");

    expect((await drawnIn(answer)) === BASE64).toBe(true);
    expect(Number(native.last.headers.get("content-length"))).toBe(
      Buffer.byteLength(native.last.text),
    );
    const [shown, said] = native.last.text.split(BASE64);
    expect(shown).toEndWith(`{"inlineData":{"mimeType":"image/png","data":"`);
    expect(said).toStartWith(`"}},{"text":"é"}]}]`);
  });

  test("that is requested twice with one idempotency key is made once", async () => {
    const headers = { "idempotency-key": "long" };
    const before = files.seen.length;

    const first = await gateway.post(GENERATIONS, asked("gpt-image-1"), headers);
    expect((await drawnIn(first)) === BASE64).toBe(true);
    const second = await gateway.post(GENERATIONS, asked("gpt-image-1"), headers);
    expect((await drawnIn(second)) === BASE64).toBe(true);
    const other = await gateway.post(GENERATIONS, { ...asked("gpt-image-1"), n: 2 }, headers);

    expect(other.status).toBe(422);
    expect(files.seen.length).toBe(before + 1);
  });

  const refused: [string, string, string][] = [
    ["that breaks off", `{"model":"m","image":"${BASE64}`, "The body is not valid JSON."],
    ["that is in no object", `["${BASE64}"]`, "The body must be a JSON object."],
    [
      "that is given twice",
      `{"model":"m","image":"${BASE64}","image":"${BASE64}"}`,
      "'image' occurs twice in the body.",
    ],
    [
      "that is not an image",
      `{"model":"gpt-image-1","prompt":"a","image":"${"AAAA".repeat(500_000)}"}`,
      "'image' has data that is not an image.",
    ],
    [
      "in place of a number",
      `{"model":"gpt-image-1","prompt":"a","n":"${BASE64}"}`,
      `'n' must be an integer from 1 to 10, but is a string of ${BASE64.length} characters.`,
    ],
  ];
  test.each(refused)("%s is refused like any other", async (_, body, message) => {
    const answer = await gateway.post(GENERATIONS, body);

    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.objectContaining({ message }) },
    ]);
  });
});
