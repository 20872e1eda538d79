import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findModel } from "#catalog/index.ts";
import type { ModelKind } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { startProgram, type Program } from "#test/program.ts";
import { waitFor } from "#test/wait.ts";

/** The program on a machine with no account anywhere, as `npm start` runs it. */
const KEY = "bootstrap-key-0123456789-abcdef";
const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

/** Those that make a video of words. */
const FILMS =
  /seedance-1-0-pro|wan2.*t2v|^veo-3|jimeng_t2v_v30|^kling-v2-6|MiniMax-H|^sora-2|^viduq2$/;

/** So many looks in a row that found the same. */
const SETTLED = 100;

let dataDir: string;
let program: Program;
let models: readonly { readonly id: string; readonly owner: string }[] = [];
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-demo-"));
  program = await startProgram({ SLUICE_DATA_DIR: dataDir, SLUICE_BOOTSTRAP_KEY: KEY });
  let sameFor = 0;
  await waitFor(async () => {
    const before = models.length;
    models = await listModels();
    sameFor = models.length === before ? sameFor + 1 : 0;
    // What each vendor says that it has takes the place of what is known of it.
    return models.some(({ id }) => id === "sim-text") && sameFor > SETTLED;
  });
});
afterAll(async () => {
  await program[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

async function listModels(): Promise<typeof models> {
  const response = await fetch(`${program.url}/v1/models`, { headers: HEADERS });
  const { data } = (await response.json()) as { data: { id: string; owned_by: string }[] };
  return data.map(({ id, owned_by: owner }) => ({ id, owner }));
}

function post(path: string, body: JsonObject): Promise<Response> {
  const init = { method: "POST", headers: HEADERS, body: JSON.stringify(body) };
  return fetch(program.url + path, init);
}

const modelsOf = (kind: ModelKind) =>
  models.filter(({ id, owner }) => findModel(owner, id)?.kind === kind);
const ownersOf = (kind: ModelKind) => new Set(modelsOf(kind).map(({ owner }) => owner));

describe("without any account", () => {
  test("[A4.2-a] models of every kind that is simulated are listed", () => {
    expect([...ownersOf("image")]).toEqual(expect.arrayContaining(["ark", "dashscope", "gemini"]));
    expect([...ownersOf("rerank")].toSorted()).toEqual(["dashscope", "jina"]);
    expect([...ownersOf("embedding")].toSorted()).toEqual(["gemini", "jina", "openai"]);
  });

  test("[A4.11-a] every image model returns an image", async () => {
    const image = pngUrl(800, 400);
    for (const { id: model } of modelsOf("image")) {
      const given = /edit/.test(model) ? { image } : {};

      const response = await post("/v1/images/generations", { model, prompt: "A fox", ...given });

      const { code, data } = (await response.json()) as Envelope;
      const [{ url = "", b64_json: base64 = "" } = {}] = data?.data ?? [];
      expect([model, code, url !== "" || base64 !== ""]).toEqual([model, 200, true]);
    }
  });

  test("[A4.10] every rerank model returns a ranking", async () => {
    const documents = ["Athens is in Greece.", "Paris is in France."];
    for (const { id: model } of modelsOf("rerank")) {
      const response = await post("/v1/rerank", { model, query: "France", documents, top_n: 1 });

      const body: unknown = await response.json();
      expect([model, body]).toMatchObject([model, { results: [{ index: 1 }] }]);
    }
  });

  test("[B4.1-a] every video vendor accepts a video", async () => {
    const vendors = ["ark", "dashscope", "gemini", "jimeng", "kling", "minimax", "openai", "vidu"];
    for (const vendor of vendors) {
      const model = models.find(({ id, owner }) => owner === vendor && FILMS.test(id))?.id;

      const prompt = "A fox";
      const metadata = { content: [{ type: "text", text: prompt }] };
      const asked = { model: model ?? "", prompt, ...(vendor === "ark" ? { metadata } : {}) };
      const response = await post("/v1/video/generations", asked);

      const body: unknown = await response.json();
      expect([vendor, model, body]).toMatchObject([vendor, model, { status: "queued" }]);
    }
  });

  test("[A4.8] every embedding model returns an embedding", async () => {
    for (const { id: model } of modelsOf("embedding")) {
      const response = await post("/v1/embeddings", { model, input: "A fox" });

      const body: unknown = await response.json();
      expect([model, body]).toMatchObject([model, { data: [{ index: 0 }], model }]);
    }
  });
});

interface Envelope {
  readonly code: number;
  readonly data: { readonly data: readonly { url?: string; b64_json?: string }[] } | null;
}
