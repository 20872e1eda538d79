import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { Form, type FormPart } from "./form.ts";
import { concatPieces } from "./pieces.ts";
import { FormViolation, parseForm } from "./parse-form.ts";

const LIMITS = { maxParts: 10, maxFieldBytes: 64 };
const PICTURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 255);
const PNG = { name: "image", filename: "a.png", mediaType: "image/png", bytes: PICTURE };

/** `parts`: head and content of each, as they stand between boundaries. */
function bodyOf(parts: readonly (string | Uint8Array)[], boundary = "b"): Uint8Array {
  const pieces = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n`),
    typeof part === "string" ? Buffer.from(part) : part,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

const read = (body: Uint8Array, type = "multipart/form-data; boundary=b"): readonly FormPart[] =>
  parseForm(body, type, LIMITS).parts.map((part) =>
    "bytes" in part ? { ...part, bytes: new Uint8Array(part.bytes) } : part,
  );
const field = (name: string, value: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file = (head: string): Uint8Array => Buffer.concat([Buffer.from(`${head}\r\n\r\n`), PICTURE]);

describe("a form", () => {
  test("is parsed with any names and bytes", async () => {
    const odd = fc.string({
      unit: fc.constantFrom('"', "\r", "\n", ";", "a", "é", "=", "-", " "),
      minLength: 1,
    });
    const bytes = fc.uint8Array({ maxLength: 40 });
    const part: fc.Arbitrary<FormPart> = fc.oneof(
      fc.record({ name: odd, value: odd }),
      fc.record({ name: odd, filename: odd, mediaType: fc.constant("image/png"), bytes }),
    );
    const property = fc.asyncProperty(fc.array(part, { maxLength: 10 }), async (parts) => {
      const { body, contentType } = new Form(parts).encode();

      expect(read(await concatPieces(body), contentType)).toEqual(parts);
    });
    await fc.assert(property, { seed: SEED });
  });

  test("is parsed like the runtime's own", async () => {
    const form = new FormData();
    form.append("prompt", "Grüße\r\nund mehr");
    form.append("image", new File([PICTURE], 'a"b.png', { type: "image/png" }));
    const request = new Response(form);
    const type = request.headers.get("content-type") ?? "";

    expect(read(await request.bytes(), type)).toEqual([
      { name: "prompt", value: "Grüße\r\nund mehr" },
      { ...PNG, filename: 'a"b.png' },
    ]);
  });

  test("holds its files once: they are views of its body", async () => {
    const { body, contentType } = new Form([PNG]).encode();
    const bytes = await concatPieces(body);
    const [part] = parseForm(bytes, contentType, LIMITS).parts;

    expect(part && "bytes" in part && part.bytes.buffer).toBe(bytes.buffer);
  });

  test("may have a quoted boundary, one that is the prefix of another line, and text around the parts", () => {
    const type = 'multipart/form-data; charset=utf-8; Boundary="b b"; x=1';
    const value = "x\r\n--b bb\r\ny";
    const around = ["preamble\r\n", bodyOf([field("a", value)], "b b"), "epilogue"];

    const body = Buffer.concat(around.map((each) => Buffer.from(each)));
    expect(read(body, type)).toEqual([{ name: "a", value }]);
  });

  test("may have an empty field", () => {
    expect(read(bodyOf([field("a", "")]))).toEqual([{ name: "a", value: "" }]);
  });
});

describe("a file", () => {
  const head = 'content-disposition: form-data; name="image"';

  test.each<[string, string, string, string]>([
    [
      "has a name and a type",
      `${head}; filename="a.png"\r\nContent-Type: image/png`,
      "a.png",
      "image/png",
    ],
    ["may have a name only", `${head}; filename="a.png"`, "a.png", ""],
    ["may have a type only", `${head}\r\nContent-Type: image/png`, "", "image/png"],
    ["may have a name without quotes", `${head}; filename=a.png`, "a.png", ""],
    ["may have quotes in its name", `${head}; filename="a\\"b.png"`, 'a"b.png', ""],
    ["may have an extended name", `${head}; filename*=UTF-8''%C3%A4.png`, "ä.png", ""],
  ])("%s", (_, written, filename, mediaType) => {
    expect(read(bodyOf([file(written)]))).toEqual([
      { name: "image", filename, mediaType, bytes: PICTURE },
    ]);
  });
});

describe("refused with a clear message is", () => {
  const many = Array.from({ length: 11 }, () => field("a", "b"));

  test.each<[string, () => unknown, string]>([
    ["a type without a boundary", () => read(bodyOf([]), "multipart/form-data"), "no boundary"],
    ["another boundary", () => read(bodyOf([field("a", "b")], "c")), "is incomplete"],
    [
      "a body that breaks off",
      () => read(bodyOf([field("a", "b")]).subarray(0, -6)),
      "is incomplete",
    ],
    ["an empty body", () => read(Buffer.alloc(0)), "is incomplete"],
    ["a part without a head", () => read(bodyOf(["a"])), "no head"],
    ["a part without a name", () => read(bodyOf(["Content-Type: text/plain\r\n\r\na"])), "no name"],
    [
      "a file of lines that begin like the boundary",
      () => read(bodyOf([field("a", "\r\n--bb".repeat(2_000))])),
      "boundary occurs in its content",
    ],
    ["a form of too many parts", () => read(bodyOf(many)), "at most 10"],
    [
      "a field that is too long",
      () => read(bodyOf([field("a", "b".repeat(65))])),
      "'a' may have at most 64",
    ],
    [
      "text that is none",
      () => read(bodyOf([Buffer.concat([Buffer.from(field("a", "")), Uint8Array.of(255)])])),
      "field 'a' of the form is not valid UTF-8",
    ],
  ])("%s", (_, parse, message) => {
    expect(parse).toThrow(FormViolation);
    expect(parse).toThrow(message);
  });
});

test("no bytes cause another error or an endless loop", () => {
  const piece = fc.constantFrom(
    "--b",
    "\r\n",
    "--",
    "b",
    field("a", "b"),
    "\r\n\r\n",
    ":",
    '"',
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      try {
        read(Buffer.from(pieces.join("")));
      } catch (cause) {
        expect(cause).toBeInstanceOf(FormViolation);
      }
    }),
    { seed: SEED },
  );
});
