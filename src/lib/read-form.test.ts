import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { Form, type FormPart } from "./form.ts";
import { MalformedForm, readForm } from "./read-form.ts";

const TYPE = "multipart/form-data; boundary=cut";

const read = (text: string, type = TYPE): FormPart[] => [
  ...readForm(Buffer.from(text.replaceAll("\n", "\r\n")), type),
];

const field = (more = "") => `--cut\nContent-Disposition: form-data; name="a"${more}\n\nvalue\n`;

test("a form is read with its fields and its files, in their order", () => {
  const file =
    'Content-Disposition: form-data; name="f"; filename="x.bin"\nContent-Type: audio/wav';
  const parts = read(`${field()}--cut\n${file}\n\nRIFF\n\n--cut--\n`);

  expect(parts).toEqual([
    { name: "a", value: "value" },
    { name: "f", filename: "x.bin", mediaType: "audio/wav", bytes: Buffer.from("RIFF\r\n") },
  ]);
});

test("a file is a view of what came, and no copy", () => {
  const { contentType, bytes } = new Form([
    { name: "f", filename: "x", mediaType: "audio/wav", bytes: new Uint8Array(9).fill(1) },
  ]).encode();
  const [file] = [...readForm(bytes, contentType)];

  expect(file !== undefined && "bytes" in file && file.bytes.buffer === bytes.buffer).toBe(true);
});

test("names are read however their clients wrote them", () => {
  const nameOf = (written: string) => {
    const [part] = read(`${field(`; ${written}`)}--cut--`);
    return part !== undefined && "filename" in part ? part.filename : undefined;
  };

  expect(nameOf('filename="Grüße %22x%22.mp3"')).toBe("Grüße %22x%22.mp3");
  expect(nameOf("filename*=utf-8''Gr%C3%BC%C3%9Fe.mp3")).toBe("Grüße.mp3");
  expect(nameOf('filename="a \\"b\\".mp3"')).toBe('a "b".mp3');
  expect(nameOf("filename=bare.mp3")).toBe("bare.mp3");
  expect(nameOf('filename=""')).toBe("");
});

test("what stands before and after the form is left out, and boundaries may be quoted", () => {
  expect(read(`hello\n${field()}--cut--\ngoodbye`)).toEqual([{ name: "a", value: "value" }]);
  expect(read(`${field()}--cut--`, 'multipart/form-data; boundary="cut"').length).toBe(1);
  expect(read("--cut--")).toEqual([]);
});

test("what only looks like a boundary is content", () => {
  const text = '--cut\nContent-Disposition: form-data; name="a"\n\n--cutter\n--cut\n';

  expect(read(`${text}--cutting\n--cut--`.replace("--cut\n--cutting", "-cut\n--cutting"))).toEqual([
    { name: "a", value: "--cutter\r\n-cut\r\n--cutting" },
  ]);
});

describe("no form", () => {
  test.each([
    ["without an end", field()],
    ["without a name", "--cut\nContent-Disposition: form-data\n\nvalue\n--cut--"],
    ["without a head", "--cut\n\nvalue\n--cut--"],
    ["with an endless head", `--cut\n${"x".repeat(20_000)}\n\nvalue\n--cut--`],
    ["of nothing", ""],
  ])("%s is read", (_, text) => {
    expect(() => read(text)).toThrow(MalformedForm);
  });

  test("is read without a boundary, or with another one", () => {
    expect(() => read(`${field()}--cut--`, "multipart/form-data")).toThrow(MalformedForm);
    expect(() => read(`${field()}--cut--`, "multipart/form-data; boundary=b")).toThrow(
      MalformedForm,
    );
  });
});

const NAME = fc.string({ minLength: 1 }).map((text) => text.replaceAll(/["\\\r\n]/g, "_"));
const PART: fc.Arbitrary<FormPart> = fc.oneof(
  fc.record({ name: NAME, value: fc.string() }),
  fc.record({
    name: NAME,
    filename: NAME,
    mediaType: fc.constantFrom("audio/wav", "image/png"),
    bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  }),
);

test("every form that we write is read as it was, by us and by the runtime", async () => {
  const property = fc.asyncProperty(fc.array(PART), async (parts) => {
    const { contentType, bytes } = new Form(parts).encode();
    expect([...readForm(bytes, contentType)]).toEqual(parts);
    const headers = { "content-type": contentType };
    const theirs = await new Response(bytes, { headers }).formData();
    expect([...theirs.entries()].length).toBe(parts.length);
  });
  await fc.assert(property, { seed: SEED });
});

test("whatever comes is read or refused", () => {
  const pieces = fc.constantFrom(
    "\r\n",
    "--cut",
    "--",
    'name="a"',
    "Content-Disposition: ",
    ";",
    "x",
  );
  fc.assert(
    fc.property(fc.array(pieces), (all) => {
      try {
        expect(Array.from(readForm(Buffer.from(all.join("")), TYPE)).length).toBeGreaterThanOrEqual(
          0,
        );
      } catch (cause) {
        expect(cause).toBeInstanceOf(MalformedForm);
      }
    }),
    { seed: SEED },
  );
});
