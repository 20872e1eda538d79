import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { Form, type SentForm } from "./form.ts";
import { LongBase64 } from "./long-base64.ts";
import { concatPieces } from "./pieces.ts";

async function readBack(form: SentForm): Promise<FormData> {
  const { body, contentType } = form.encode();
  const headers = { "content-type": contentType };
  return (await new Response(Buffer.from(await concatPieces(body)), {
    headers,
  }).formData()) as unknown as FormData;
}

test("an encoded form is parsed back, with files byte for byte", async () => {
  const bytes = Uint8Array.of(0, 13, 10, 45, 45, 255);
  const form = await readBack(
    new Form([
      { name: "model", value: "m" },
      { name: "image[]", filename: "a.png", mediaType: "image/png", bytes },
      { name: "image[]", filename: "b.png", mediaType: "image/png", bytes },
    ]),
  );
  const files = form.getAll("image[]").filter((each) => each instanceof File);

  expect(form.get("model")).toBe("m");
  expect(files.map(({ name, type }) => [name, type])).toEqual([
    ["a.png", "image/png"],
    ["b.png", "image/png"],
  ]);
  expect(new Uint8Array((await files[0]?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(bytes);
});

test("no name, file name or media type of a part can start another part", async () => {
  const odd = fc.string({
    unit: fc.constantFrom('"', "\r", "\n", "\\", ";", "a", "é", "%"),
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(odd, odd, odd, async (name, filename, mediaType) => {
      const file = { name, filename, mediaType, bytes: Uint8Array.of(1) };
      const form = await readBack(new Form([file, { name: "last", value: filename }]));

      expect([...form.keys()].length).toBe(2);
      expect(form.get("last")).toBe(filename);
    }),
    { seed: SEED },
  );
});

test("a file in base64 is sent decoded", async () => {
  const base64 = await LongBase64.read(Buffer.from("AP8="));
  if (base64 === undefined) throw new Error("It is not base64.");
  const file = { name: "image", filename: "a.png", mediaType: "image/png", base64 };

  const read = (await readBack(new Form([file]))).get("image");

  expect(read instanceof File && (await read.bytes())).toEqual(Uint8Array.of(0, 255));
});
