import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROUTES } from "#http/registry.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf, objectOf, textOf } from "#lib/values.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { startProgram, type Program } from "#test/program.ts";
import { waitFor } from "#test/wait.ts";

/**
 * Every endpoint that takes a key, on a gateway with an empty folder and no
 * setting: all that it is given is a port and a place for its files.
 */
const PICTURE = pngUrl(640, 360);
const LINK = "https://pictures.example/fox.png";
const QUESTION = [{ role: "user", content: "Say hello." }];
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Say hello." }] }] };
const VEO = "veo-3.0-generate-001";
const SEEDANCE = "doubao-seedance-2-0-260128";
const ASSETS = "/videoa/api/v3/assets";

let dataDir: string;
let program: Program;
let key = "";
const walked = new Set<string>();
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-fresh-"));
  program = await startProgram({ SLUICE_DATA_DIR: dataDir });
  const printed = /shown only now: (\S+)/;
  await waitFor(() => printed.test(program.output()));
  key = printed.exec(program.output())?.[1] ?? "";
});
afterAll(async () => {
  await program[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Calls a route by its pattern, and holds its answer to be a success. */
async function walk(route: string, path: string, body?: JsonObject | FormData): Promise<Response> {
  const [method = ""] = route.split(" ");
  const isForm = body instanceof FormData;
  const response = await fetch(program.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const said = response.ok ? "" : await response.clone().text();
  expect([route, path, response.status, said]).toEqual([route, path, 200, ""]);
  walked.add(route);
  return response;
}

async function told(...args: Parameters<typeof walk>): Promise<JsonObject> {
  const response = await walk(...args);
  return objectOf((await response.json()) as Json) ?? {};
}

/** At both of a path's addresses: as it is, and below `/openai`. */
async function both(route: string, path: string, body?: () => JsonObject | FormData) {
  await told(route, path, body?.());
  await told(route.replace(" /", " /openai/"), `/openai${path}`, body?.());
}

/** At once: films take their time. */
async function all<T>(items: readonly T[], each: (item: T) => Promise<void>): Promise<void> {
  await Promise.all(items.map(each));
}

const idIn = (body: JsonObject): string => textOf(body["task_id"] ?? body["id"]) ?? "";

/** Asks until a task has come to its end, which has to be a good one. */
async function finished(route: string, path: string, body?: JsonObject): Promise<JsonObject> {
  let answer: JsonObject = {};
  await waitFor(async () => {
    await Bun.sleep(100);
    answer = await told(route, path, body);
    return DONE.test(JSON.stringify(answer));
  }, 20_000);
  expect(JSON.stringify(answer)).not.toMatch(/"(failed|FAILED|cancelled)"/);
  return answer;
}

const DONE = /"(succeeded|success|SUCCESS|succeed|completed|failed|FAILED|cancelled)"|"done":true/;

function formOf(parts: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value);
  return form;
}

function pictureFile(url: string): File {
  const bytes = Buffer.from(url.replace(/^.*,/, ""), "base64");
  return new File([bytes], "fox.png", { type: "image/png" });
}

describe("after a first start without any configuration", () => {
  test("[A5-1] the printed first call is answered", async () => {
    const [, model = ""] = /"model":"([^"]+)"/.exec(program.output()) ?? [];

    const body = { model, messages: QUESTION };
    const answer = await told("POST /v1/chat/completions", "/v1/chat/completions", body);

    expect(textOf(memberOf(memberOf(listOf(answer["choices"])[0], "message"), "content"))).not.toBe(
      "",
    );
  });

  test("[A4.2-a] models are listed and described", async () => {
    await both("GET /v1/models", "/v1/models");
    await both("GET /v1/models/:id{.+}", "/v1/models/gpt-4o-mini");
    await told("GET /v1beta/models", "/v1beta/models");
    await told("GET /v1beta/models/:id{.+}", "/v1beta/models/gemini-2.5-flash");
  });

  test.each(["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "qwen-plus"])(
    "every text style reaches %s",
    async (model) => {
      const chat = () => ({ model, messages: QUESTION });
      await both("POST /v1/chat/completions", "/v1/chat/completions", chat);
      await both("POST /v1/completions", "/v1/completions", () => ({ model, prompt: "Hello" }));
      await both("POST /v1/responses", "/v1/responses", () => ({ model, input: "Hello" }));
      await told("POST /v1/messages", "/v1/messages", {
        model,
        max_tokens: 99,
        messages: QUESTION,
      });
      const native = `models/${model}:generateContent`;
      await told("POST /v1beta/models/:operation{.+}", `/v1beta/${native}`, CONTENTS);
      await told("POST /v1/models/:operation{.+}", `/v1/${native}`, CONTENTS);
    },
  );

  test("stored responses are read, continued, and deleted", async () => {
    const ask = { model: "gpt-4o-mini", input: "Hello" };
    const { id } = await told("POST /v1/responses", "/v1/responses", ask);
    const path = `/v1/responses/${textOf(id)}`;

    await told("GET /v1/responses/:id", path);
    await told("GET /v1/responses/:id/input_items", `${path}/input_items`);
    await told("POST /v1/responses", "/v1/responses", { ...ask, previous_response_id: id ?? "" });
    await told("POST /v1/responses/input_tokens", "/v1/responses/input_tokens", ask);
    for (const path of ["/v1/responses/compact", "/openai/v1/responses/compact"]) {
      await told(`POST ${path}`, path, {
        model: "gpt-4o-mini",
        input: [{ role: "user", content: "Hello" }],
      });
    }
    await told("DELETE /v1/responses/:id", path);
  });

  test("tokens are counted, and requests explained", async () => {
    const body = { model: "claude-sonnet-4-5", messages: QUESTION };
    await told("POST /v1/messages/count_tokens", "/v1/messages/count_tokens", body);
    const question = { path: "/v1/chat/completions", body };
    await told("POST /api/explain", "/api/explain", question);
  });

  test("a holder sees the limits and the spending of the key", async () => {
    for (const path of [
      "/v1/key",
      "/api/v1/key",
      "/api/v1/credits",
      "/v1/dashboard/billing/subscription",
      "/v1/dashboard/billing/usage",
    ])
      await told(`GET ${path}`, path);
  });

  test("[A4.8] embeddings are created", async () => {
    const body = () => ({ model: "text-embedding-3-small", input: "A fox" });
    await both("POST /v1/embeddings", "/v1/embeddings", body);
    const cohere = {
      model: "text-embedding-3-small",
      texts: ["A fox"],
      input_type: "search_query",
    };
    await told("POST /v2/embed", "/v2/embed", cohere);
    const content = { parts: [{ text: "A fox" }] };
    for (const version of ["v1beta", "v1"]) {
      const at = `/${version}/models/gemini-embedding-001`;
      const route = (action: string) => `POST /${version}/models/:model{.+:${action}}`;
      await told(route("embedContent"), `${at}:embedContent`, { content });
      const requests = [{ model: "models/gemini-embedding-001", content }];
      await told(route("batchEmbedContents"), `${at}:batchEmbedContents`, { requests });
    }
  });

  test("[A4.10] documents are ranked", async () => {
    const documents = ["Athens is in Greece.", "Paris is in France."];
    for (const path of ["/v1/rerank", "/v2/rerank"]) {
      const body = { model: "jina-reranker-v3", query: "France", documents };
      expect(await told(`POST ${path}`, path, body)).toMatchObject({ results: [{ index: 1 }, {}] });
    }
  });

  test("[A4.11-a] images are generated, edited and varied", async () => {
    for (const model of ["gpt-image-1", "gemini-2.5-flash-image", "doubao-seedream-4-0-250828"]) {
      const body = () => ({ model, prompt: "A fox" });
      await both("POST /v1/images/generations", "/v1/images/generations", body);
    }
    await both("POST /v1/images/edits", "/v1/images/edits", () =>
      formOf({ model: "gpt-image-1", prompt: "in snow", image: pictureFile(PICTURE) }),
    );
    await both("POST /v1/images/variations", "/v1/images/variations", () =>
      formOf({ model: "dall-e-2", image: pictureFile(pngUrl(64, 64)) }),
    );
  });

  test("speech and transcripts are created", async () => {
    const body = { model: "tts-1", input: "A fox", voice: "alloy" };
    const speech = await walk("POST /v1/audio/speech", "/v1/audio/speech", body);
    await walk("POST /openai/v1/audio/speech", "/openai/v1/audio/speech", body);
    const file = new File([await speech.arrayBuffer()], "fox.mp3", { type: "audio/mpeg" });
    for (const kind of ["transcriptions", "translations"]) {
      await both(`POST /v1/audio/${kind}`, `/v1/audio/${kind}`, () =>
        formOf({ model: "whisper-1", file }),
      );
    }
  });

  test("moderations are returned", async () => {
    const body = () => ({ model: "omni-moderation-latest", input: "A fox" });
    await both("POST /v1/moderations", "/v1/moderations", body);
  });
});

describe("videos after a first start", () => {
  test("[B4.1] each vendor's models make videos at the unified endpoint, and their files are served", async () => {
    const at = "/v1/video/generations";
    await all(FILMING, async (model) => {
      // One family takes its text in a list.
      const metadata = model === SEEDANCE ? { content: [{ type: "text", text: "A fox" }] } : {};
      const id = idIn(await told(`POST ${at}`, at, { model, prompt: "A fox", metadata }));
      await finished(`GET ${at}/:id`, `${at}/${id}`);

      const file = await walk("GET /v1/videos/:id/content", `/v1/videos/${id}/content`);
      expect(file.headers.get("content-type")).toBe("video/mp4");
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    });
  });

  test("[B4.7] OpenAI's objects", async () => {
    await all(["", "/openai"], async (prefix) => {
      const at = `${prefix}/v1/videos`;
      const { id } = await told(`POST ${at}`, at, { model: "sora-2", prompt: "A fox" });
      const path = `${at}/${textOf(id)}`;
      await finished(`GET ${at}/:id`, path);
      await told(`GET ${at}`, at);
      await walk(`GET ${at}/:id/content`, `${path}/content`);
      await told(`POST ${at}/:id/remix`, `${path}/remix`, { prompt: "in snow" });
      await told(`DELETE ${at}/:id`, path);
    });
  });

  test("the native protocol", async () => {
    await all(["v1beta", "v1"], async (version) => {
      const path = `/${version}/models/${VEO}:predictLongRunning`;
      const body = { instances: [{ prompt: "A fox" }] };
      const route = `POST /${version}/models/:model{.+:predictLongRunning}`;
      const { name } = await told(route, path, body);
      const operation = textOf(name) ?? "";
      const at = `GET /${version}/models/:operation{.+/operations/[^/]+}`;
      await finished(at, `/${version}/${operation}`);
      const id = operation.split("/").at(-1) ?? "";
      await told(`GET /${version}/operations/:operation`, `/${version}/operations/${id}`);
    });
  });

  test("[B4.2-a] protocol A", async () => {
    const at = "/videoa/api/v3/contents/generations/tasks";
    const content = [{ type: "text", text: "A fox" }];
    await all(FAMILY_A, async (model) => {
      const id = idIn(await told(`POST ${at}`, at, { model, content, duration: 5 }));
      await finished(`GET ${at}/:id`, `${at}/${id}`);
    });
    const another = await told(`POST ${at}`, at, { model: SEEDANCE, content, duration: 5 });
    await told(`GET ${at}`, at);
    await finished(`GET ${at}/:id`, `${at}/${idIn(another)}`);
    await told(`DELETE ${at}/:id`, `${at}/${idIn(another)}`);
  });

  test("[B4.3] protocol B", async () => {
    const at = (action: string) => `/videob?Action=${action}&Version=2022-08-31`;
    const asked = { req_key: "jimeng_t2v_v30", prompt: "A fox" };
    const made = await told("POST /videob", at("CVSync2AsyncSubmitTask"), asked);
    const query = {
      req_key: asked.req_key,
      task_id: textOf(memberOf(made["data"], "task_id")) ?? "",
    };
    await finished("POST /videob", at("CVSync2AsyncGetResult"), query);
  });

  test("[B4.4] protocol C", async () => {
    const at = "/videoc/ent/v2";
    const scenarios = ["text2video", "img2video", "start-end2video", "reference2video"];
    await all([...scenarios.entries()], async ([count, scenario]) => {
      const images = Array<string>(count).fill(pngUrl(640, 640));
      const body = { model: "viduq2", prompt: "A fox", ...(count === 0 ? {} : { images }) };
      const id = idIn(await told(`POST ${at}/${scenario}`, `${at}/${scenario}`, body));
      await finished(`GET ${at}/tasks/:id/creations`, `${at}/tasks/${id}/creations`);
    });
  });

  test("[B4.5] protocol D", async () => {
    const content = [{ type: "text", text: "A fox" }];
    const body = { model: "MiniMax-H3", content, resolution: "768P", duration: 5 };
    const made = await told(
      "POST /videod/v2/video_generation",
      "/videod/v2/video_generation",
      body,
    );
    const at = "/videod/v2/query/video_generation";
    await finished(`GET ${at}/:id`, `${at}/${idIn(made)}`);
  });

  test("[B4.6-a] the first style of protocol E", async () => {
    const at = "/videoe/v1/videos";
    const asked: Readonly<Record<string, JsonObject>> = {
      text2video: { model_name: "kling-v2-6" },
      image2video: { model_name: "kling-v2-6", image: PICTURE },
      "multi-image2video": {
        model_name: "kling-v3-omni",
        image_list: [{ image: PICTURE }],
        aspect_ratio: "16:9",
      },
      "omni-video": { model_name: "kling-v3-omni", aspect_ratio: "16:9" },
    };
    await all(Object.entries(asked), async ([scenario, body]) => {
      const path = `${at}/${scenario}`;
      const id = idIn(await told(`POST ${path}`, path, { prompt: "A fox", ...body }));
      await finished(`GET ${path}/:id`, `${path}/${id}`);
    });
  });

  test("[B4.6-b] the 3.0 style of protocol E", async () => {
    const asked: Readonly<Record<string, readonly [string, JsonObject]>> = {
      "text-to-video": ["kling-3.0", {}],
      "image-to-video": ["kling-3.0", { contents: [{ type: "first_frame", url: LINK }] }],
      "omni-video": ["kling-3.0-omni", { contents: [{ type: "prompt", text: "A fox" }] }],
    };
    await all(Object.entries(asked), async ([scenario, [model, more]]) => {
      const made = await told(`POST /videoe/${scenario}/:model`, `/videoe/${scenario}/${model}`, {
        prompt: "A fox",
        ...more,
      });
      const id = textOf(memberOf(made["data"], "id") ?? memberOf(made["data"], "task_id")) ?? "";
      await finished("GET /videoe/tasks", `/videoe/tasks?task_ids=${id}`);
    });
  });
});

describe("[B4.9-a] assets after a first start", () => {
  const act = async (action: string, body: JsonObject): Promise<JsonObject> => {
    const answer = await told(
      `POST ${ASSETS}`,
      `${ASSETS}?Action=${action}&Version=2024-01-01`,
      body,
    );
    return objectOf(answer["Result"]) ?? {};
  };

  async function activeIn(GroupId: Json): Promise<string> {
    const draft = { GroupId, URL: LINK, AssetType: "image", Name: "A fox" };
    const { Id = "" } = await act("CreateAsset", draft);
    await waitFor(async () => (await act("GetAsset", { Id }))["Status"] === "active", 20_000);
    return textOf(Id) ?? "";
  }

  test("become active, and are used in videos", async () => {
    const { Id: GroupId = "" } = await act("CreateAssetGroup", { Name: "films" });
    const id = await activeIn(GroupId);

    await told(
      "POST /videoa/api/v3/contents/generations/tasks",
      "/videoa/api/v3/contents/generations/tasks",
      {
        model: SEEDANCE,
        content: [
          { type: "text", text: "A fox" },
          { type: "image_url", image_url: { url: `asset://${id}` }, role: "reference_image" },
        ],
      },
    );
    await act("ListAssets", {});
    await act("UpdateAsset", { Id: id, Name: "The fox" });
    await act("UpdateAssetGroup", { Id: GroupId, Name: "foxes" });
    await act("GetAssetGroup", { Id: GroupId });
    await act("DeleteAsset", { Id: id });
  });

  test("[B4.9-c] belong to persons after their verification", async () => {
    const { H5Link, VendorToken = "" } = await act("CreateVisualValidateSession", {
      CallbackURL: "https://caller.example/verified",
    });
    // The person's browser, which the simulator's page leads back to the gateway.
    const page = await fetch(`${textOf(H5Link)}&outcome=pass`);
    expect([page.status, new URL(page.url).origin]).toEqual([200, program.url]);

    let group: JsonObject = {};
    await waitFor(async () => {
      const path = `${ASSETS}?Action=GetVisualValidateResult&Version=2024-01-01`;
      const answer = await fetch(program.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ VendorToken }),
      });
      group = objectOf(memberOf((await answer.json()) as Json, "Result")) ?? {};
      return answer.status === 200;
    }, 20_000);

    expect(group).toMatchObject({ GroupType: "identity" });
    await activeIn(group["GroupId"] ?? "");
  });
});

describe("the tests of a first start", () => {
  test("call every endpoint with a key, except those that have nothing to do", () => {
    const routes = ROUTES.filter(({ access }) => access === "key")
      .map(({ method, path }) => `${method} ${path}`)
      .filter((each) => walked.has(each) || !OTHER_ADDRESSES.test(each));

    expect(routes.filter((each) => !walked.has(each) && !ELSEWHERE.has(each))).toEqual([]);
    expect([...ELSEWHERE].filter((each) => !routes.includes(each) || walked.has(each))).toEqual([]);
  });
});

const FILMING = [
  "sora-2",
  VEO,
  SEEDANCE,
  "wan2.6-t2v",
  "kling-v2-6",
  "kling-3.0",
  "viduq2",
  "MiniMax-H3",
  "jimeng_t2v_v30",
];

/** The four models of protocol A. */
const FAMILY_A = [
  "doubao-seedance-1-5-pro-251215",
  SEEDANCE,
  "doubao-seedance-2-0-fast-260128",
  "doubao-seedance-2-5-260628",
];

/**
 * Where SDKs of single vendors look for what is walked at its own address; their
 * tests are in `test/clients` and `test/languages`.
 */
const OTHER_ADDRESSES = /\/publishers\/google\/|\/api\/v3\/|\/files\/|:predict}$/;

/** Only what is under way can be cancelled, and a socket is no request. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "GET /v1/responses",
  "GET /openai/v1/responses",
  "POST /v1/responses/:id/cancel",
  "POST /videoc/ent/v2/tasks/:id/cancel",
]);

function listOf(value: Json | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}
