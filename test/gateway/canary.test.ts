import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bearer, logIn, PASSWORD } from "#test/accounts.ts";
import { startProgram, type Program } from "#test/program.ts";

/** Stands in every text that a caller sends, and in all that the vendor says. */
const CANARY = "kanarienvogel";
const KEY = "a-key-that-the-file-names-dolomite";
const ROOT = { email: "root@example.com", password: PASSWORD };

/** Numbers are statuses of an answer that repeats the request; the others are broken in other ways. */
const FAILURES = [
  ..."400 401 402 403 404 408 409 413 415 422 429 500 501 502 503 504 529".split(" "),
  ..."page text garbage empty broken-events error-event cut success-error".split(" "),
];

let folder: string;
let program: Program;
let vendor: ReturnType<typeof Bun.serve>;
/** Which models the vendor was asked for. */
const asked = new Set<string>();

/** A vendor that repeats what it was sent, wherever an error has room for words. */
function openRepeater() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const said = `${CANARY} in ${new URL(request.url).pathname}: ${body}`;
      const error = { message: said, type: CANARY, code: CANARY, param: CANARY, status: CANARY };
      const failure = { error, message: said, detail: said, code: CANARY, type: "error" };
      const [, provider, how = "400"] =
        /([\w-]+?)-fail-([\w-]+?)-end/.exec(`${request.url} ${body}`) ?? [];
      asked.add(`${provider ?? ""} ${how}`);
      const status = Number(how);
      if (Number.isInteger(status)) {
        return Response.json(failure, { status, headers: { "x-request-id": CANARY } });
      }
      const events = (text: string): Response =>
        new Response(text, { headers: { "content-type": "text/event-stream" } });
      switch (how) {
        case "page":
          return new Response(`<html><title>${said}</title></html>`, {
            status: 502,
            headers: { "content-type": "text/html" },
          });
        case "text":
          return new Response(said, { status: 500, headers: { "content-type": "text/plain" } });
        case "garbage":
          return new Response(`{"a": ${said}`, { headers: { "content-type": "application/json" } });
        case "broken-events":
          return events(`data: {"a": ${CANARY}\n\ndata: ${CANARY}\n\n`);
        case "error-event":
          return events(`event: error\ndata: ${JSON.stringify(failure)}\n\n`);
        case "cut":
          return events(`data: {"choices":[{"delta":{"content":"${CANARY}"}}]}\n\n`);
        case "success-error":
          return Response.json(failure);
        default:
          return new Response(null);
      }
    },
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-canary-"));
  vendor = openRepeater();
  const url = `http://127.0.0.1:${vendor.port}`;
  // A channel for each failure, so that none is in cooldown because of another.
  const channels = (provider: string, more = ""): string =>
    FAILURES.map((how) => {
      const model = `{ name: "${provider}-${how}", upstream: "${provider}-fail-${how}-end" }`;
      return `  - { name: ${provider}-${how}, provider: ${provider}, base_url: "${url}/v1", api_key: secret-${provider}, models: [${model}]${more} }`;
    }).join("\n");
  const yaml = `channels:
${["openai", "anthropic", "gemini", "dashscope", "ark", "cohere", "jina"].map((each) => channels(each)).join("\n")}
${channels("ai-sdk", `, options: { package: "@ai-sdk/openai", api: chat }`)}
keys:
  - { name: ci, key: ${KEY} }
`;
  writeFileSync(join(folder, "sluice.yaml"), yaml);
  program = await startProgram(
    {
      SLUICE_CONFIG: join(folder, "sluice.yaml"),
      SLUICE_DATA_DIR: join(folder, "data"),
      SLUICE_LOG_LEVEL: "trace",
      SLUICE_SECRET: "what-is-mixed-into-digests-granite",
      SLUICE_ADMIN_EMAIL: ROOT.email,
      SLUICE_ADMIN_PASSWORD: ROOT.password,
    },
    ["sh", "-c", `exec "${process.execPath}" src/main.ts start 2>"${join(folder, "log")}"`],
  );
}, 60_000);
afterAll(async () => {
  await program[Symbol.asyncDispose]();
  await vendor.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const SAID = `${CANARY}, please`;
const QUESTION = [{ role: "user", content: SAID }];
const TOOL = { name: CANARY, description: SAID, parameters: { type: "object", properties: {} } };
type Asked = readonly [path: string, body: unknown];
const TEXT = (model: string, stream: boolean): readonly Asked[] => [
  ["/v1/chat/completions", { model, stream, messages: QUESTION, user: CANARY }],
  [
    "/v1/chat/completions",
    { model, stream, messages: QUESTION, tools: [{ type: "function", function: TOOL }] },
  ],
  ["/v1/completions", { model, stream, prompt: SAID }],
  ["/v1/responses", { model, stream, store: false, input: SAID, instructions: SAID }],
  ["/v1/messages", { model, stream, max_tokens: 9, system: SAID, messages: QUESTION }],
  [
    `/v1beta/models/${model}:${stream ? "streamGenerateContent" : "generateContent"}`,
    { contents: [{ role: "user", parts: [{ text: SAID }] }] },
  ],
];
const OTHERS = (model: string): readonly Asked[] => [
  ["/v1/embeddings", { model, input: SAID }],
  ["/v2/embed", { model, texts: [SAID], input_type: "search_query", embedding_types: ["float"] }],
  ["/v1/rerank", { model, query: SAID, documents: [SAID] }],
  ["/v1/images/generations", { model, prompt: SAID }],
  ["/openai/v1/images/generations", { model, prompt: SAID }],
  ["/v1/audio/speech", { model, input: SAID, voice: "alloy" }],
  ["/v1/moderations", { model, input: SAID }],
  ["/v1/messages/count_tokens", { model, messages: QUESTION }],
  ["/v1/video/generations", { model, prompt: SAID }],
  ["/v1/videos", { model, prompt: SAID }],
];

async function send(path: string, body: unknown, headers = {}): Promise<string> {
  const response = await fetch(program.url + path, {
    method: "POST",
    headers: { ...bearer(KEY), "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return `${response.status} ${await response.text()}`;
}

/** Everything that the gateway writes or shows to its operator, by where it is. */
async function everywhere(): Promise<Record<string, string>> {
  const root = await logIn(program.url, ROOT);
  const places: Record<string, string> = {};
  for (const path of [
    "/metrics",
    "/api/log",
    "/api/usage",
    "/api/audit",
    "/api/config",
    "/api/channel",
    "/api/model",
    "/api/token",
    "/api/notice",
  ]) {
    places[path] = await (await fetch(program.url + path, { headers: root })).text();
  }
  await program.end("SIGTERM");
  places["output"] = program.output();
  places["log"] = readFileSync(join(folder, "log"), "latin1");
  const files = readdirSync(join(folder, "data"), { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    places[file.name] = readFileSync(join(file.parentPath, file.name), "latin1");
  }
  return places;
}

describe("what callers and vendors say is kept nowhere", () => {
  test("not in the log, metrics, database or exports, whichever way a call fails", async () => {
    const answers: string[] = [];
    const vendors = ["openai", "anthropic", "gemini", "ai-sdk"];
    for (const provider of vendors) {
      for (const how of FAILURES) {
        const model = `${provider}-${how}`;
        for (const stream of [false, true]) {
          const sent = TEXT(model, stream).map(([path, body]) => send(path, body));
          answers.push(...(await Promise.all(sent)));
        }
      }
    }
    for (const provider of ["openai", "gemini", "dashscope", "ark", "cohere", "jina"]) {
      for (const how of FAILURES) {
        const sent = OTHERS(`${provider}-${how}`).map(([path, body]) => send(path, body));
        answers.push(...(await Promise.all(sent)));
      }
    }

    // What never reaches a vendor.
    const bodies = [
      `{"model": ${CANARY}`,
      `"${CANARY}"`,
      { [CANARY]: SAID },
      { model: "no-such-model", messages: QUESTION, max_tokens: 9, input: SAID, prompt: SAID },
      { model: "openai-400", messages: SAID, max_tokens: CANARY, input: 7 },
      { model: "openai-400", messages: [{ role: CANARY, content: SAID }], max_tokens: 9 },
      { model: [CANARY], messages: QUESTION, [SAID]: 1 },
    ];
    for (const path of ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/embeddings"])
      for (const body of bodies) answers.push(await send(path, body));
    answers.push(
      await send(`/v1/${CANARY}`, {}),
      await send(`/v1beta/models/no-such-model:generateContent`, { [CANARY]: SAID }),
      await send(`/v1beta/models/openai-400:${CANARY}`, {}),
      await send(`/openai/deployments/no-such-model/chat/completions`, { messages: QUESTION }),
      await send("/v1/chat/completions", {}, { authorization: `Bearer ${CANARY}` }),
      await send("/v1/chat/completions", {}, { "idempotency-key": `${CANARY} é` }),
      await send(`/v1/chat/completions?key=${CANARY}`, {}),
      await send(`/v1/chat/completions?x=${CANARY}`, QUESTION, { "x-canary": CANARY }),
      await send("/v1/videos", `--${CANARY}`, { "content-type": "multipart/form-data" }),
    );
    const all = ["openai", "anthropic", "gemini", "ai-sdk", "dashscope", "ark", "cohere", "jina"];
    expect(asked).toEqual(new Set(all.flatMap((each) => FAILURES.map((how) => `${each} ${how}`))));
    const seen = answers.join("\n");
    const statuses = new Set(answers.map((answer) => answer.slice(0, 3)));
    expect(statuses.size).toBeGreaterThan(6);
    // The vendor did repeat it, and the caller was told.
    expect(seen).toContain(CANARY);

    const places = await everywhere();
    expect(places["/api/log"]).toContain("openai");
    expect(places["log"]).toContain("upstream request failed");
    expect(Object.keys(places)).toContain("sluice.db");
    const found = Object.entries(places).flatMap(([place, text]) => {
      const at = text.indexOf(CANARY);
      return at < 0 ? [] : [`${place}: ${text.slice(Math.max(0, at - 200), at + 60)}`];
    });
    expect(found).toEqual([]);
  }, 240_000);
});
