import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { bearer, logIn, PASSWORD } from "#test/accounts.ts";
import { openOtlpReceiver, type OtlpReceiver } from "#test/otlp-receiver.ts";
import { startProgram, type Program } from "#test/program.ts";

/** Stands in every text that a caller sends, and in all that the vendor says. */
const CANARY = "kanarienvogel";
/** Stands in what a task keeps for its caller, and belongs nowhere else: its prompt, and why it failed. */
const KEPT = "stieglitz";
const KEY = "a-key-that-the-file-names-dolomite";
const ROOT = { email: "root@example.com", password: PASSWORD };

/** Numbers are statuses of an answer that repeats the request; the others are broken in other ways. */
const FAILURES = [
  ..."400 401 402 403 404 408 409 413 415 422 429 500 501 502 503 504 529".split(" "),
  ..."page text garbage empty broken-events error-event cut success-error".split(" "),
];

/** Models of the vendors' videos: each task is taken on, and every look at it fails in its own way. */
const FILMED: Readonly<Record<string, string>> = {
  openai: "sora-2",
  ark: "doubao-seedance-1-0-pro",
  dashscope: "wan2.2-t2v-plus",
  gemini: "veo-3.0-generate-001",
};

/** How a look at a task fails; `failed` is an answer, and the task did. */
const LOOKS = [...FAILURES, "failed"];

let folder: string;
let program: Program;
let vendor: ReturnType<typeof Bun.serve>;
let collector: OtlpReceiver;
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
      const task = /(\w+)-poll-[\w-]+?-end/.exec(`${request.url} ${body}`)?.[0];
      if (task !== undefined && request.method === "POST" && !request.url.includes("fetch")) {
        return Response.json({
          id: task,
          name: `models/x/operations/${task}`,
          output: { task_id: task },
        });
      }
      const [, provider, how = "400"] =
        /([\w-]+?)-(?:fail|poll)-([\w-]+?)-end/.exec(`${request.url} ${body}`) ?? [];
      asked.add(`${provider ?? ""} ${task === undefined ? "" : "look "}${how}`);
      if (how === "failed") {
        const why = { code: "made_nothing", message: `No ${KEPT} was made.` };
        return Response.json({ id: task, status: "failed", error: why });
      }
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
  const filming = Object.entries(FILMED)
    .flatMap(([provider, model]) =>
      LOOKS.map((how) => {
        const models = `[{ name: "film-${provider}-${how}", upstream: "${model}-${provider}-poll-${how}-end" }]`;
        return `  - { name: film-${provider}-${how}, provider: ${provider}, base_url: "${url}/v1", api_key: secret-${provider}, models: ${models} }`;
      }),
    )
    .join("\n");
  const yaml = `channels:
${["openai", "anthropic", "gemini", "dashscope", "ark", "cohere", "jina"].map((each) => channels(each)).join("\n")}
${channels("ai-sdk", `, options: { package: "@ai-sdk/openai", api: chat }`)}
${filming}
keys:
  - { name: ci, key: ${KEY} }
`;
  writeFileSync(join(folder, "sluice.yaml"), yaml);
  collector = openOtlpReceiver();
  program = await start({ SLUICE_OTEL_CONTENT: "on" });
}, 60_000);

/** Starts the gateway on the same data each time. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<Program> {
  return await startProgram(
    {
      SLUICE_CONFIG: join(folder, "sluice.yaml"),
      SLUICE_DATA_DIR: join(folder, "data"),
      SLUICE_LOG_LEVEL: "trace",
      SLUICE_SECRET: "what-is-mixed-into-digests-granite",
      SLUICE_ADMIN_EMAIL: ROOT.email,
      SLUICE_ADMIN_PASSWORD: ROOT.password,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...env,
    },
    // From source: an executable does not find the packages of the AI SDK.
    ["sh", "-c", `exec "${process.execPath}" src/main.ts start 2>"${join(folder, "log")}"`],
  );
}

afterAll(async () => {
  await program[Symbol.asyncDispose]();
  await vendor.stop(true);
  await collector[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const SAID = `${CANARY}, please`;
const QUESTION = [{ role: "user", content: SAID }];
const TOOL = { name: CANARY, description: SAID, parameters: { type: "object", properties: {} } };
type SentRequest = readonly [path: string, body: unknown];
const TEXT = (model: string, stream: boolean): readonly SentRequest[] => [
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
const OTHERS = (model: string): readonly SentRequest[] => [
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
  const type = body instanceof FormData ? {} : { "content-type": "application/json" };
  const response = await fetch(program.url + path, {
    method: "POST",
    headers: { ...bearer(KEY), ...type, ...headers },
    body: typeof body === "string" || body instanceof FormData ? body : JSON.stringify(body),
  });
  return `${response.status} ${await response.text()}`;
}

/** A recording with a name, and a hint of what is said in it. */
function recording(model: string, stream: boolean): FormData {
  const form = new FormData();
  form.set("model", model);
  form.set("prompt", SAID);
  if (stream) form.set("stream", "true");
  form.set("file", new File([`RIFF${CANARY}`], `${CANARY}.wav`, { type: "audio/wav" }));
  return form;
}

/** Has a task taken on, and asks how it is until its vendor was asked. */
async function film(provider: string, how: string): Promise<readonly string[]> {
  const submitted = await send("/v1/videos", { model: `film-${provider}-${how}`, prompt: KEPT });
  const { id } = JSON.parse(submitted.slice(4)) as { id?: string };
  const answers = [submitted];
  for (let turn = 0; turn < 20 && !asked.has(`${provider} look ${how}`); turn++) {
    const response = await fetch(`${program.url}/v1/videos/${id}`, { headers: bearer(KEY) });
    answers.push(`${response.status} ${await response.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const last = await fetch(`${program.url}/v1/videos/${id}`, { headers: bearer(KEY) });
  return [...answers, `${last.status} ${await last.text()}`];
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
  places[TELEMETRY] = collector.raw.splice(0).join("\n");
  places["log"] = readFileSync(join(folder, "log"), "latin1");
  const files = readdirSync(join(folder, "data"), { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    const path = join(file.parentPath, file.name);
    const bytes = readFileSync(path);
    const place = path.includes(CONTENT_LOG) ? `${CONTENT_LOG}${file.name}` : file.name;
    places[place] = (path.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes).toString("latin1");
  }
  return places;
}

const CONTENT_LOG = "/content-log/";
const TELEMETRY = "telemetry";
/** Left out of what the content log stores. */
const SECRET = "zaunkoenig@example.com";

describe("text of clients and vendors is not stored", () => {
  test("in the log, metrics, database or exports, for any kind of failure", async () => {
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
    for (const how of FAILURES) {
      for (const stream of [false, true]) {
        const form = recording(`openai-${how}`, stream);
        answers.push(await send("/v1/audio/transcriptions", form));
      }
      answers.push(await send("/v1/audio/translations", recording(`openai-${how}`, false)));
    }
    const filmed = await Promise.all(
      Object.keys(FILMED).flatMap((provider) => LOOKS.map((how) => film(provider, how))),
    );
    answers.push(...filmed.flat());

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
    const reached = all.flatMap((each) => FAILURES.map((how) => `${each} ${how}`));
    const looks = Object.keys(FILMED).flatMap((each) => LOOKS.map((how) => `${each} look ${how}`));
    expect(asked).toEqual(new Set([...reached, ...looks]));
    const seen = answers.join("\n");
    const statuses = new Set(answers.map((answer) => answer.slice(0, 3)));
    expect(statuses.size).toBeGreaterThan(6);
    // The vendor did repeat it, and the caller was told.
    expect(seen).toContain(CANARY);

    const places = await everywhere();
    expect(places["/api/log"]).toContain("openai");
    expect(places["log"]).toContain("upstream request failed");
    expect(places[TELEMETRY]).toContain("gen_ai.provider.name");
    expect(Object.keys(places)).toContain("sluice.db");
    const found = Object.entries(places).flatMap(([place, text]) => {
      const at = text.indexOf(CANARY);
      return at < 0 ? [] : [`${place}: ${text.slice(Math.max(0, at - 200), at + 60)}`];
    });
    expect(found).toEqual([]);
    expect(seen).toContain(`No ${KEPT} was made.`);
    const kept = Object.keys(places).filter((place) => places[place]?.includes(KEPT) === true);
    expect(kept).not.toEqual([]);
    expect(kept.filter((place) => !place.startsWith("sluice.db"))).toEqual([]);
    expect(Object.keys(places).filter((place) => place.startsWith(CONTENT_LOG))).toEqual([]);
  }, 240_000);

  test("outside of the content log and the traces if both are on, and redacted there", async () => {
    program = await start({ SLUICE_CONTENT_LOG: "all", SLUICE_OTEL_CONTENT: "on" });
    const sent: SentRequest[] = [];
    for (const how of ["400", "cut", "error-event", "success-error"]) {
      sent.push(...TEXT(`anthropic-${how}`, true), ...TEXT(`openai-${how}`, false));
      sent.push(...OTHERS(`openai-${how}`));
    }
    const answers = await Promise.all(
      sent.map(([path, body]) =>
        send(path, JSON.parse(JSON.stringify(body).replaceAll(SAID, `${SAID} ${SECRET}`))),
      ),
    );
    answers.push(await send("/v1/audio/transcriptions", recording("openai-400", false)));

    const places = await everywhere();

    expect(answers.join("\n")).toContain(SECRET);
    const holding = Object.keys(places).filter((place) => places[place]?.includes(CANARY) === true);
    expect(holding.length).toBeGreaterThan(20);
    expect(holding.filter((place) => !place.startsWith(CONTENT_LOG))).toEqual([TELEMETRY]);
    const leaking = Object.keys(places).filter((place) => places[place]?.includes(SECRET) === true);
    expect(leaking).toEqual([]);
    const redacted = holding.filter((place) => places[place]?.includes(`${SAID} [email]`));
    expect(redacted.length).toBeGreaterThan(20);
    expect(places[TELEMETRY]).toContain(`${SAID} [email]`);
  }, 60_000);
});
