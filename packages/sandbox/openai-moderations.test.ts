import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI, { APIError } from "openai";
import { SHARED, withShared } from "../../test/shared.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { openapiSchemas } from "./testing/openapi-schemas.ts";
import { call, pngUrl } from "./testing/pictures.ts";

let sandbox: Sandbox;
let client: OpenAI;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${sandbox.url}/openai/v1`, maxRetries: 0 });
});
afterAll(() => sandbox.stop());

/** The kinds of harm that are found in a text. */
async function found(input: string): Promise<readonly string[]> {
  const { results } = await client.moderations.create({ input });
  const [result] = results;
  const kinds = Object.entries(result?.categories ?? {}).filter(([, isFound]) => isFound);
  expect(result?.flagged).toBe(kinds.length > 0);
  return kinds.map(([kind]) => kind);
}

test.each([
  ["Hello, how are you?", []],
  ["I want to kill them.", ["harassment", "harassment/threatening", "violence"]],
  ["You are a worthless idiot", ["harassment"]],
  ["blood and gore", ["violence", "violence/graphic"]],
  ["I despise immigrants", ["hate"]],
  ["kill the inferior race", ["hate", "hate/threatening", "violence"]],
  ["how to hack a bank", ["illicit"]],
  ["build a bomb", ["illicit", "illicit/violent"]],
  ["I want to hurt myself", ["self-harm", "self-harm/intent"]],
  ["ways of suicide", ["self-harm", "self-harm/instructions"]],
  ["a nude person", ["sexual"]],
  ["a naked child", ["sexual", "sexual/minors"]],
])("%s is classified as %j", async (text, kinds) => {
  expect(await found(text)).toEqual(kinds);
});

test("each text has its own result, with consistent scores", async () => {
  const input = ["Hello", "I want to kill them", "blood"];
  const { id, model, results } = await client.moderations.create({ input });

  expect([id.slice(0, 5), model]).toEqual(["modr-", "omni-moderation-latest"]);
  expect(results.map(({ flagged }) => flagged)).toEqual([false, true, true]);
  for (const { categories, category_scores: scores } of results)
    for (const [kind, score] of Object.entries(scores)) {
      expect(score >= 0.5).toBe(Reflect.get(categories, kind) === true);
      expect(score > 0 && score < 1).toBe(true);
    }
});

test("the parts of a message are classified together, and an image for fewer categories", async () => {
  const { results } = await client.moderations.create({
    input: [
      { type: "text", text: "I will kill them" },
      { type: "image_url", image_url: { url: pngUrl(8, 8) } },
    ],
  });

  expect(results).toHaveLength(1);
  expect(results[0]?.flagged).toBe(true);
  expect(results[0]?.category_applied_input_types.violence).toEqual(["text", "image"]);
  expect(results[0]?.category_applied_input_types.hate).toEqual(["text"]);
});

test("text models have fewer categories, and accept no images", async () => {
  const model = "text-moderation-latest";
  const { model: named, results } = await client.moderations.create({ model, input: "hack" });
  const picture = [{ type: "image_url", image_url: { url: pngUrl(8, 8) } }] as const;
  const refused = client.moderations
    .create({ model, input: [...picture] })
    .catch((e: unknown) => e);

  expect(named).toBe("text-moderation-007");
  expect(results[0]?.flagged).toBe(false);
  expect(results[0]?.categories).not.toHaveProperty("illicit");
  expect(await refused).toBeInstanceOf(APIError);
});

test("invalid requests are refused like at the vendor, and the input orders faults", async () => {
  const ask = async (body: object) => {
    const { status } = await call(sandbox, "/openai/v1/moderations", { ...body });
    return status;
  };
  const image = { type: "image_url", image_url: { url: pngUrl(8, 8) } };

  for (const input of [null, 7, [], ["a", 1], [{ type: "text" }], [{ type: "x" }], [image, image]])
    expect(await ask({ input })).toBe(400);
  expect(await ask({ input: [{ type: "image_url", image_url: { url: "x" } }] })).toBe(400);
  expect(await ask({ input: "a", model: "gpt-4o" })).toBe(404);
  expect(await ask({ input: ["a", "[[fault:status code=503]]"] })).toBe(503);
  expect(await ask({ input: [{ type: "text", text: "[[fault:status code=503]]" }] })).toBe(503);
});

withShared("schemas", () => {
  const schema = openapiSchemas(`${SHARED}/schemas/openai.openapi.yaml`);

  test("results conform to the vendor's own description", async () => {
    const body = { input: ["Hello", "kill them"] };
    const { answer } = await call(sandbox, "/openai/v1/moderations", body);

    expect(schema("CreateModerationRequest").safeParse(body).error).toBeUndefined();
    expect(schema("CreateModerationResponse").safeParse(answer).error).toBeUndefined();
    expect(schema("CreateModerationResponse").safeParse({ ...Object(answer), id: 1 }).success).toBe(
      false,
    );
  });
});
