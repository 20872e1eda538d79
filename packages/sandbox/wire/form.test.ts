import { expect, test } from "bun:test";
import { readForm } from "./form.ts";

async function written(form: FormData): Promise<{ bytes: Uint8Array; type: string }> {
  const body = new Response(form);
  const type = body.headers.get("content-type") ?? "";
  return { type, bytes: await body.bytes() };
}

test("a form is parsed with its texts, its files, and repeated names", async () => {
  const form = new FormData();
  form.append("tag", "one");
  form.append("tag", "two");
  form.append("file", new File([Uint8Array.of(0, 13, 10, 255)], "a.bin"));
  const { bytes, type } = await written(form);

  expect(await readForm(bytes, type)).toEqual({
    texts: { tag: "two" },
    parts: [
      { name: "tag", text: "one" },
      { name: "tag", text: "two" },
      {
        name: "file",
        file: { name: "a.bin", bytes: Uint8Array.of(0, 13, 10, 255) },
      },
    ],
  });
});

test("an invalid or truncated form is refused", async () => {
  const form = new FormData();
  form.append("a", "b");
  const { bytes, type } = await written(form);

  expect(await readForm(bytes, "application/json")).toBeUndefined();
  expect(await readForm(bytes, "multipart/form-data")).toBeUndefined();
  expect(await readForm(bytes, type.replace("boundary=", "boundary=x"))).toBeUndefined();
  expect(await readForm(new Uint8Array(), type)).toBeUndefined();
});
