import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { JsonObject } from "#lib/json.ts";
import { json, type Seen } from "#test/adapter/vendor.ts";
import { KEY } from "#test/harness.ts";
import { BASE64, DATA_URI, openPlace, PNG, type Place } from "#test/linking-vendor.ts";

const DRAW = "qwen-image-plus";
const EDIT = "qwen-image-edit";
const EDIT_PLUS = "qwen-image-edit-plus";
const TASK = "wan2.2-t2i-flash";
const MODELS = [DRAW, EDIT, EDIT_PLUS, TASK];

const PATH = "/v1/images/generations";
const GENERATION = "/api/v1/services/aigc/multimodal-generation/generation";
const SYNTHESIS = "/api/v1/services/aigc/text2image/image-synthesis";
const LINK = "https://pictures.example/fox.png";
const text = { text: "A paper fox" };

/** What a picture takes where that is counted, and what that is in nano-dollars. */
const TOKENS = 1_000;
const COST = TOKENS * 30_000;

let place: Place;
beforeAll(async () => {
  place = await openPlace("dashscope", "/compatible-mode/v1", MODELS);
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  place.vendor.seen.length = 0;
  place.respond = () => drawn(place.links.own);
});

function drawn(...links: readonly string[]): Response {
  const content = links.map((image) => ({ image }));
  return json({
    output: { choices: [{ finish_reason: "stop", message: { role: "assistant", content } }] },
    usage: { input_tokens: 0, output_tokens: links.length * TOKENS, image_count: links.length },
    request_id: "1",
  });
}

const nested = (model: string, parameters: JsonObject = {}): JsonObject => {
  const given = model.includes("edit") ? [{ image: LINK }] : [];
  return { model, input: { messages: [{ role: "user", content: [...given, text] }] }, parameters };
};

interface Envelope {
  readonly code: number;
  readonly data: { readonly data: readonly JsonObject[]; readonly created: number };
  readonly error: JsonObject;
}

async function answerTo(body: JsonObject, headers: Readonly<Record<string, string>> = {}) {
  const response = await place.gateway.post(PATH, body, headers);
  const answer = (await response.json()) as Envelope;
  return { status: response.status, lossy: response.headers.get("sluice-lossy"), answer };
}

async function lastCost(): Promise<unknown> {
  expect(await place.books.whenSettled()).toEqual([]);
  return place.books.calls().at(-1)?.["cost"];
}

const asked = (): readonly Seen[] => place.vendor.seen.filter(({ method }) => method === "POST");

describe("[A2.9] [A4.11-e] an image", () => {
  test("is a link, in the envelope, and is charged", async () => {
    const before = Math.floor(Date.now() / 1_000);

    const { status, answer } = await answerTo(nested(EDIT_PLUS, { seed: 7, size: "1536*1024" }));

    expect(status).toBe(200);
    expect(answer as unknown).toEqual({
      code: 200,
      msg: "Operation successful",
      data: {
        data: [{ url: place.links.own, b64_json: "", revised_prompt: "" }],
        created: expect.any(Number),
      },
    });
    expect(answer.data.created).toBeGreaterThanOrEqual(before);
    expect(asked().map(({ path, body }) => ({ path, body }))).toEqual([
      {
        path: GENERATION,
        body: {
          model: EDIT_PLUS,
          input: { messages: [{ role: "user", content: [{ image: LINK }, text] }] },
          parameters: {
            n: 1,
            seed: 7,
            size: "1536*1024",
            prompt_extend: true,
            watermark: true,
          },
        },
      },
    ]);
    expect(place.vendor.last.headers.get("x-dashscope-ossresourceresolve")).toBe("enable");
    expect(place.vendor.last.headers.get("authorization")).toBe("Bearer upstream-secret");
    expect(await lastCost()).toBe(COST);
  });

  test.each(["own", "other"] as const)(
    "[A4.11-a] is downloaded for clients that request base64 (%s)",
    async (whose) => {
      place.respond = () => drawn(place.links[whose], place.links[whose]);

      const { answer } = await answerTo({
        ...nested(EDIT_PLUS, { n: 2 }),
        response_format: "b64_json",
      });

      const made = { url: "", b64_json: BASE64, revised_prompt: "" };
      expect(answer.data.data).toEqual([made, made]);
      expect(await lastCost()).toBe(2 * COST);
    },
  );

  test("at a blocked address is returned as its link, with a report", async () => {
    place.respond = () => drawn(place.links.closed);

    const { answer, lossy } = await answerTo({ ...nested(DRAW), response_format: "b64_json" });

    expect(answer.data.data).toMatchObject([{ url: place.links.closed, b64_json: "" }]);
    expect(lossy).toBe("response_format");
  });

  test("is one of up to six of one request, or of as many requests, and each is charged", async () => {
    place.respond = ({ body }) =>
      drawn(...Array.from({ length: Number((body["parameters"] as JsonObject)["n"]) }, () => LINK));

    const together = await answerTo(nested(EDIT_PLUS, { n: 6 }));
    expect([together.answer.data.data.length, asked().length]).toEqual([6, 1]);
    expect(await lastCost()).toBe(6 * COST);

    const apart = await answerTo(nested(DRAW, { n: 3 }));
    expect([apart.answer.data.data.length, asked().length]).toEqual([3, 4]);
    expect(await lastCost()).toBe(3 * COST);
  });

  test("is delivered in a stream if the client requests one", async () => {
    const response = await place.gateway.post(PATH, { ...nested(DRAW), stream: true });

    const body = await response.text();
    expect(body).toStartWith("event: image_generation.completed\ndata: ");
    expect(body).toContain(JSON.stringify(place.links.own));
  });

  test("reaches an official client in its own format", async () => {
    const client = new OpenAI({ apiKey: KEY, baseURL: `${place.gateway.url}/v1`, maxRetries: 0 });

    const { data = [] } = await client.images.edit({
      model: EDIT,
      prompt: "A paper fox",
      image: new File([PNG], "fox.png", { type: "image/png" }),
      response_format: "b64_json",
    });

    expect(data).toEqual([{ b64_json: BASE64 }]);
    expect(asked()[0]?.body["input"]).toEqual({
      messages: [{ role: "user", content: [{ image: DATA_URI }, text] }],
    });
  });
});

describe("[A4.11-e] a request that the model does not support", () => {
  test.each<[string, JsonObject, string, string]>([
    [
      "another role",
      { ...nested(DRAW), input: { messages: [{ role: "system", content: [text] }] } },
      "input.messages[0].role",
      "user",
    ],
    ["two of the plain edit model", nested(EDIT, { n: 2 }), "n", "must be 1 for"],
    ["seven of the better one", nested(EDIT_PLUS, { n: 7 }), "n", "must be 1 to 6 for"],
    ["a size that it has not", nested(DRAW, { size: "1024*1024" }), "size", "1328*1328"],
    ["nothing to edit", { model: EDIT, prompt: "A fox" }, "image", "must be 1 to 3"],
  ])("is refused: %s", async (_what, body, param, allowed) => {
    const before = place.books.spent();

    const { status, answer } = await answerTo(body);

    expect(status).toBe(400);
    expect(answer as unknown).toMatchObject({
      code: 400,
      data: null,
      error: { param, message: expect.stringContaining(allowed) },
    });
    expect(asked()).toEqual([]);
    expect(await place.books.whenSettled()).toEqual([]);
    expect(place.books.spent()).toBe(before);
  });

  test("loses tuning options with a report, and is refused for strict clients", async () => {
    const body = nested(EDIT, { prompt_extend: true });
    const lax = await answerTo(body);
    const strict = await answerTo(body, { "sluice-strict": "true" });

    expect([lax.status, lax.lossy]).toEqual([200, "prompt_extend"]);
    expect([strict.status, strict.answer.error["param"]]).toEqual([400, "prompt_extend"]);
    expect(asked()).toHaveLength(1);
  });
});

describe("an unknown field inside an unknown field", () => {
  const body = {
    model: DRAW,
    input: { messages: [{ role: "user", content: [{ text: "a fox" }] }], ref_mode: "repaint" },
    parameters: { seed: 7, ref_strength: 0.5, n: null },
    optimize_prompt_options: { thinking: null },
  };

  test("is reported as lost, and refused for strict clients", async () => {
    const lax = await answerTo(body);
    const strict = await answerTo(body, { "sluice-strict": "true" });

    expect([lax.status, lax.lossy]).toEqual([200, "input.ref_mode, parameters.ref_strength"]);
    expect([strict.status, strict.answer.error["param"]]).toEqual([400, "input.ref_mode"]);
  });
});

describe("an error of the vendor", () => {
  const failures: [string, number, number, string][] = [
    ["DataInspectionFailed", 400, 400, "content_policy_violation"],
    ["InvalidParameter", 400, 400, "InvalidParameter"],
    ["Arrearage", 400, 502, "upstream_unavailable"],
    ["InvalidApiKey", 401, 502, "upstream_unavailable"],
    ["Model.AccessDenied", 403, 502, "upstream_unavailable"],
    ["ModelNotFound", 404, 502, "upstream_unavailable"],
    ["RequestTimeOut", 408, 504, "upstream_timeout"],
    ["Throttling.RateQuota", 429, 429, "rate_limit_exceeded"],
    ["InternalError", 500, 502, "upstream_error"],
    ["ModelUnavailable", 503, 503, "overloaded"],
  ];
  test.each(failures)(
    "%s is reported in the envelope, and costs nothing",
    async (code, status, told, word) => {
      // Some of them would put the only credential to rest.
      await using own = await openPlace("dashscope", "/compatible-mode/v1", [DRAW]);
      const failure = { code, message: "Why not.", request_id: "1" };
      own.respond = () => json(failure, status);
      const plain = await own.gateway.post(PATH, nested(DRAW));
      await using other = await openPlace("dashscope", "/compatible-mode/v1", [DRAW]);
      other.respond = () => json(failure);
      const hidden = await other.gateway.post(PATH, nested(DRAW));

      for (const response of [plain, hidden]) {
        expect([response.status, await response.json()]).toMatchObject([
          told,
          { code: told, data: null, error: { code: word } },
        ]);
      }
      expect(own.books.spent() + other.books.spent()).toBe(0);
    },
  );
});

describe("an image by a task", () => {
  const state = (task_status: string, more: JsonObject = {}): Response =>
    json({ output: { task_id: "0385dc79", task_status, ...more }, request_id: "1" });

  /** Accepts a task, and then says what it is told to say each time it is asked. */
  function answerTask(...looks: readonly (() => Response)[]): void {
    let at = 0;
    place.respond = ({ method }) =>
      method === "POST" ? state("PENDING") : (looks[at++]?.() ?? state("UNKNOWN"));
  }

  test("is polled until it is there, and charged once, although a poll fails", async () => {
    const results = [{ url: place.links.own, actual_prompt: "A red paper fox" }];
    answerTask(
      () => state("RUNNING"),
      () => json({ code: "Throttling", message: "Slow down." }, 429),
      () =>
        json({
          output: { task_id: "0385dc79", task_status: "SUCCEEDED", results },
          usage: { input_tokens: 0, output_tokens: TOKENS, image_count: 1 },
        }),
    );

    const { status, answer } = await answerTo({ model: TASK, prompt: "A paper fox" });

    expect(status).toBe(200);
    expect(answer.data.data).toEqual([
      { url: place.links.own, b64_json: "", revised_prompt: "A red paper fox" },
    ]);
    const look = "GET /api/v1/tasks/0385dc79";
    expect(place.vendor.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST ${SYNTHESIS}`,
      look,
      look,
      look,
    ]);
    expect(asked()[0]?.headers.get("x-dashscope-async")).toBe("enable");
    expect(asked()[0]?.body).toEqual({
      model: TASK,
      input: { prompt: "A paper fox" },
      parameters: { n: 1, watermark: true },
    });
    expect(await lastCost()).toBe(COST);
  });

  test("that fails is an error, which costs nothing", async () => {
    answerTask(() => state("FAILED", { code: "DataInspectionFailed", message: "No." }));

    const { status, answer } = await answerTo({ model: TASK, prompt: "A paper fox" });

    expect([status, answer.error["code"]]).toEqual([400, "content_policy_violation"]);
    expect(await lastCost()).toBe(0);
  });
});
