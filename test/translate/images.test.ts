import { describe, expect, test } from "bun:test";
import type { ImageRequest } from "#core/image.ts";
import { LossReport } from "#core/lossy.ts";
import { NO_USAGE } from "#core/usage.ts";
import { Form, type SentForm, type SentPart } from "#lib/form.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { parseForm } from "#lib/parse-form.ts";
import { integerOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { readLines, readShared, withVendors } from "#test/shared.ts";
import { edits, generations, images, variations } from "#styles/image/openai/index.ts";

const FORMATS = { generations, edits, variations } as const;
const LIMITS = { maxParts: 100, maxFieldBytes: 1_000_000 };

interface Recorded {
  readonly file: string;
  readonly kind: keyof typeof FORMATS;
  readonly request: JsonObject;
  readonly response: JsonObject;
}

withVendors("corpus", () => {
  const records = readLines("corpus/index.jsonl").flatMap((line): Recorded[] => {
    const file = textOf(line["file"]) ?? "";
    const kind = (["generations", "edits", "variations"] as const).find((each) =>
      file.includes(`/images-${each}/`),
    );
    if (kind === undefined) return [];
    const { request, response } = readShared(`corpus/${file}`);
    return [{ file, kind, request: objectOf(request) ?? {}, response: objectOf(response) ?? {} }];
  });
  const answers = records.filter(({ response }) => response["status"] === 200);
  const requests = answers.filter(({ request }) => isObject(request["body"]));
  const failures = records.filter(({ response }) => response["status"] !== 200);

  test("there are recordings of every kind", () => {
    expect(new Set(requests.map(({ kind }) => kind)).size).toBe(3);
    expect([answers.length > 10, failures.length > 5]).toEqual([true, true]);
  });

  describe("a recorded response is read, and written again unchanged:", () => {
    test.each(answers.map((each) => [each.file, each] as const))("%s", (_, { kind, response }) => {
      const body = objectOf(response["body"]) ?? {};

      const read = images.outbound.parse(body, QUESTION);
      const written = FORMATS[kind].inbound.write({ usage: NO_USAGE, ...read }, QUESTION);

      const { created, usage, ...rest } = body;
      expect(written).toMatchObject(rest);
      expect(read.createdAt ?? 0).toBe(integerOf(created) ?? 0);
      if (isObject(usage)) expect(written["usage"]).toEqual(usage);
    });
  });

  describe("a recorded failure is read:", () => {
    test.each(failures.map((each) => [each.file, each] as const))("%s", (_, { response }) => {
      const told = memberOf(response["body"], "error");
      const status = integerOf(response["status"]) ?? 0;

      const read = images.outbound.parseError(status, JSON.stringify(response["body"]));

      const { message, param } = objectOf(told) ?? {};
      const { code, type } = objectOf(told) ?? {};
      const refused = code === "unknown_parameter" ? { refusedMember: param } : {};
      const vendor = { status, code, type, reason: message, ...refused };
      expect(read).toEqual({ code: "upstream_rejected", message, param, vendor } as typeof read);
    });
  });

  describe("a recorded request is read, and written again unchanged:", () => {
    test.each(requests.map((each) => [each.file, each] as const))("%s", (_, { kind, request }) => {
      const { inbound } = FORMATS[kind];
      const form = formIn(request);
      const body = objectOf(request["body"]) ?? {};

      // The eldest model was meant where none was named.
      const named = form ?? { model: "dall-e-2", ...body };
      const question =
        named instanceof Form ? inbound.readForm?.(named, {}) : inbound.read(named, {});
      const report = new LossReport();
      const built = images.outbound.build(question ?? QUESTION, { report, model: {} });

      expect(report.fields).toEqual([]);
      if (built instanceof Form) expect(meantBy(built)).toEqual(meantBy(form ?? formOf(body)));
      else expect(built).toEqual(named as JsonObject);
    });
  });
});

const QUESTION: ImageRequest = { model: "m", task: "generate", turns: [], stream: false };

/** Bodies that are no JSON are kept in base64. */
function formIn(request: JsonObject): Form | undefined {
  const base64 = textOf(memberOf(request["body"], "__base64"));
  const type = textOf(memberOf(request["headers"], "content-type")) ?? "";
  if (base64 === undefined) return undefined;
  const { parts } = parseForm(Buffer.from(base64, "base64"), type, LIMITS);
  const hasModel = parts.some(({ name }) => name === "model");
  return new Form(hasModel ? parts : [...parts, { name: "model", value: "dall-e-2" }]);
}

/** The form that says the same as JSON with pictures in it. */
function formOf({ images: given, ...fields }: JsonObject): Form {
  const uris = (Array.isArray(given) ? given : []).map((each) => memberOf(each, "image_url"));
  return new Form([
    ...Object.entries(fields).map(([name, value]) => ({
      name,
      value: textOf(value) ?? JSON.stringify(value),
    })),
    ...uris.map((uri) => ({ name: "image", value: textOf(uri) ?? "" })),
  ]);
}

/** Without what says nothing: names of files, their types, the order of the parts. */
function meantBy(form: SentForm): readonly string[] {
  return form.parts.map((part) => `${part.name}=${contentOf(part)}`).sort();
}

function contentOf(part: SentPart): string {
  if ("base64" in part) return part.base64.toString();
  if ("bytes" in part) return Buffer.from(part.bytes).toString("base64");
  const uri = /^data:[^,]*,(.*)$/s.exec(part.value)?.[1];
  return uri === undefined ? part.value : Buffer.from(uri, "base64").toString("base64");
}
