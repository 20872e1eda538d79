import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import type { Json, JsonObject } from "#lib/json.ts";
import { isArray, isObject } from "#lib/json.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { KEY, type TestGateway } from "#test/harness.ts";
import { openS3Server } from "#test/s3-server.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";

const MODEL = "gpt-4o-mini";
const BUCKET = "the-bucket";
const S3_KEY = "the-key-of-the-bucket";
/** Every kind that redaction knows, and one of our own. */
const SECRETS = {
  email: "ada@example.com",
  phone: "+49 30 1234567",
  card: "4111 1111 1111 1111",
  key: "sk-proj-abcdefghijklmnop0123456789",
  own: "customer-4711",
} as const;
const SAID = `nightingale ${Object.values(SECRETS).join(", ")}.`;

describe("on SQLite, in a folder", () => describeContentLog("folder", async () => undefined));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "on PostgreSQL, in S3, with two gateways",
  () => describeContentLog("s3", openScratchDatabase),
);

type Database = Awaited<ReturnType<typeof openScratchDatabase>>;

function describeContentLog(
  place: "folder" | "s3",
  openDatabase: () => Promise<Database | undefined>,
): void {
  let vendor: Bun.Server<undefined>;
  let sandbox: Sandbox;
  let database: Database | undefined;
  let opened: TestGateway;
  /** The one that reads: with SQLite the same. */
  let other: TestGateway;
  const bucket = openS3Server(S3_KEY);
  let admin: Ask;
  /** At the other gateway. */
  let root: Ask;
  let auditor: Ask;
  let ada: Ask;
  let adasKey: { readonly id: number; readonly secret: string };

  beforeAll(async () => {
    vendor = openRepeater();
    sandbox = await startSandbox({ tasks: { queuedMs: 0, runningMs: 1_500 } });
    database = await openDatabase();
    const options = {
      yaml: `channels:
  - { name: main, provider: openai, base_url: "${vendor.url.origin}/v1", api_key: k-12345678, models: [${MODEL}, tts-1, whisper-1, gpt-image-1, text-embedding-3-small, omni-moderation-latest] }
  - { name: film, provider: kling, base_url: "${sandbox.url}/kling", api_key: k-12345678, models: [kling-v2-6] }
  - { name: ill, provider: openai, base_url: "${vendor.url.origin}/ill/v1", api_key: k-12345678, models: [gpt-4o] }
content_log:
  store: ${place}`,
      env: {
        SLUICE_LIMIT_CONTENT_LOG_BYTES: "4KiB",
        ...(place === "folder"
          ? {}
          : {
              S3_ENDPOINT: bucket.url,
              S3_BUCKET: BUCKET,
              S3_ACCESS_KEY_ID: S3_KEY,
              S3_SECRET_ACCESS_KEY: "the-secret-of-the-bucket",
            }),
        ...(database === undefined
          ? {}
          : { DATABASE_URL: database.url, SLUICE_SECRET: "a-secret-of-this-test-0123456789" }),
      },
    };
    opened = await openWithRoot(options);
    other = database === undefined ? opened : await openWithRoot(options);
    admin = await asRoot(opened.url);
    root = await asRoot(other.url);
    auditor = await asUser(opened.url, "watcher", "auditor");
    ada = await asUser(opened.url, "ada");
    const made = await ada("POST", "/api/token", { name: "hers" });
    adasKey = { id: Number(made.data["id"]), secret: textIn(made.data, "key") };
    await set("content_log.patterns", String.raw`customer-\d+`);
  });
  afterAll(async () => {
    if (other !== opened) await other[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
    await vendor.stop(true);
    await sandbox.stop();
    await bucket[Symbol.asyncDispose]();
  });

  async function set(name: string, value: string): Promise<void> {
    const { status } = await admin("PUT", `/api/setting/${name}`, { value });
    expect(status).toBe(200);
  }

  interface Sent {
    readonly key?: string;
    readonly path?: string;
    readonly body?: JsonObject;
  }

  async function call({ key = KEY, path = "/v1/chat/completions", body = {} }: Sent = {}) {
    const messages = [{ role: "user", content: SAID }];
    const answer = await opened.post(path, { model: MODEL, messages, ...body }, bearer(key));
    const text = await answer.text();
    return {
      id: answer.headers.get("x-request-id") ?? "",
      level: answer.headers.get("sluice-content-log"),
      status: answer.status,
      text,
    };
  }

  /** Creates a task; returns its id. */
  async function film(prompt: string): Promise<string> {
    const { text } = await call({
      path: "/v1/video/generations",
      body: { model: "kling-v2-6", prompt, messages: undefined },
    });
    const answer = JSON.parse(text) as JsonObject;
    expect(answer).toHaveProperty("task_id");
    return textIn(answer, "task_id");
  }

  async function contentOf(id: string, ask = root, path = "/api/log"): Promise<JsonObject> {
    await waitFor(async () => (await ask("GET", `${path}/content/${id}`)).status === 200);
    return (await ask("GET", `${path}/content/${id}`)).data;
  }

  function partIn(content: JsonObject, name: string): { text: string; more: JsonObject } {
    const part = content[name];
    if (part === undefined || !isObject(part)) throw new Error(`There is no ${name}.`);
    const { text = "", ...more } = part;
    return { text: typeof text === "string" ? text : "", more };
  }

  /** Everything that the store of contents holds, uncompressed. */
  function stored(): string {
    if (place === "s3") {
      return [...bucket.objects]
        .filter(([path]) => path.startsWith(`/${BUCKET}/content-log/`))
        .map(([, { bytes }]) => zstdDecompressSync(bytes).toString())
        .join("\n");
    }
    const folder = join(opened.dataDir, "content-log");
    if (!existsSync(folder)) return "";
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => zstdDecompressSync(readFileSync(join(each.parentPath, each.name))).toString())
      .join("\n");
  }

  test("nothing is stored by default, and no header says so", async () => {
    const { id, level } = await call();
    await waitFor(async () => (await root("GET", `/api/log/${id}`)).status === 200);

    expect(level).toBeNull();
    expect((await root("GET", `/api/log/content/${id}`)).status).toBe(404);
    expect(stored()).toBe("");
  });

  describe("if it is on for all calls", () => {
    beforeAll(() => set("content_log.level", "all"));
    afterAll(() => set("content_log.level", "off"));

    test("a complete answer is stored with its request, without the listed kinds", async () => {
      const { id, level } = await call();
      const content = await contentOf(id);

      expect(level).toBe("all");
      const [request, answer] = [partIn(content, "request"), partIn(content, "answer")];
      const redacted = "nightingale [email], [phone], [card], [key], [redacted].";
      expect(JSON.parse(request.text)).toEqual({
        model: MODEL,
        messages: [{ role: "user", content: redacted }],
      });
      expect(answer.text).toContain(`"content":"${redacted}"`);
      expect(request.more).toMatchObject({ truncated: false });
      const held = stored();
      expect(held).toContain("nightingale");
      expect(Object.values(SECRETS).filter((secret) => held.includes(secret))).toEqual([]);
    });

    test("a stream is stored as it was sent, and redacted across its events", async () => {
      const { id, text } = await call({ body: { stream: true } });
      const answer = partIn(await contentOf(id), "answer");

      expect(text).toContain('"content":"@"');
      expect(deltasIn(answer.text)).toBe(
        "nightingale [email], [phone], [card], [key], [redacted].",
      );
      expect(answer.text).toEndWith("data: [DONE]\n\n");
    });

    test("a past call is explained with its request, which no admin has to repeat", async () => {
      const message = {
        model: MODEL,
        max_tokens: 77,
        messages: [{ role: "user", content: "a wren" }],
      };
      const { id } = await call({ path: "/v1/messages", body: message });
      await contentOf(id);

      const { status, data } = await root("POST", `/api/log/explain/${id}`);

      expect(status).toBe(200);
      expect(data).toMatchObject({ request: "logged", explanation: { style: "messages" } });
      expect(JSON.stringify(data)).toContain("a wren");
      expect(JSON.stringify(data)).toContain("77");
    });

    test("an error is stored as the client got it", async () => {
      const { id, text, status } = await call({ body: { model: "gpt-4o" } });
      const answer = partIn(await contentOf(id), "answer");

      expect(status).toBe(502);
      expect(answer.text).toBe(text);
    });

    test("other styles and endpoints are stored too, and sound is only counted", async () => {
      const body = { model: MODEL, max_tokens: 9, messages: [{ role: "user", content: "linnet" }] };
      const message = await call({ path: "/v1/messages", body });
      const spoken = { model: "tts-1", input: "linnet", voice: "alloy" };
      const speech = await call({ path: "/v1/audio/speech", body: spoken });

      expect(partIn(await contentOf(message.id), "request").text).toContain("linnet");
      const heard = await contentOf(speech.id);
      expect(partIn(heard, "request").text).toContain("linnet");
      expect(partIn(heard, "answer")).toEqual({
        text: "",
        more: { size_bytes: 4, truncated: true },
      });
    });

    test("pictures, recordings, moderations and embeddings are stored without their files", async () => {
      const drawn = await call({
        path: "/v1/images/generations",
        body: { model: "gpt-image-1", prompt: "a wagtail", messages: undefined },
      });
      const form = new FormData();
      form.set("model", "whisper-1");
      form.set("prompt", "a dipper");
      form.set("file", new File(["RIFF-the-sound"], "sound.wav", { type: "audio/wav" }));
      const heard = await fetch(`${opened.url}/v1/audio/transcriptions`, {
        method: "POST",
        headers: bearer(KEY),
        body: form,
      });
      const others = await Promise.all(
        [
          ["/v1/moderations", "omni-moderation-latest"],
          ["/v1/embeddings", "text-embedding-3-small"],
        ].map(([path = "", model = ""]) =>
          call({ path, body: { model, input: "a shrike", messages: undefined } }),
        ),
      );

      const picture = await contentOf(drawn.id);
      expect(partIn(picture, "request").text).toContain("a wagtail");
      expect(partIn(picture, "answer").text).toContain("[base64, 8000 characters]");
      const transcript = await contentOf(heard.headers.get("x-request-id") ?? "");
      expect(JSON.parse(partIn(transcript, "request").text)).toEqual([
        { name: "model", value: "whisper-1" },
        { name: "prompt", value: "a dipper" },
        { name: "file", filename: "sound.wav", content_type: "audio/wav", bytes: 14 },
      ]);
      expect(partIn(transcript, "answer").text).toContain("a robin sings");
      for (const { id } of others)
        expect(partIn(await contentOf(id), "request").text).toContain("a shrike");
      expect(stored()).not.toContain("RIFF-the-sound");
    });

    test("a video task is one entry, with its request at once and its result at its end", async () => {
      const id = await film("a kingfisher for ada@example.com");
      const begun = await contentOf(id);

      expect(partIn(begun, "request").text).toContain("a kingfisher for [email]");
      expect(partIn(begun, "answer").text).toContain(id);
      expect(begun["result"]).toBeNull();
      await waitFor(async () => (await contentOf(id))["result"] !== null, 20_000);
      const done = await contentOf(id);
      expect(partIn(done, "request")).toEqual(partIn(begun, "request"));
      expect(partIn(done, "result").text).toContain('"succeeded"');
      expect(partIn(done, "result").text).not.toContain("ada@example.com");
    });

    test("a request that is too large is cut, and pictures are named by their size", async () => {
      const url = `data:image/png;base64,${"QUJD".repeat(2_000)}`;
      const content = [
        { type: "image_url", image_url: { url } },
        { type: "text", text: "a finch " + "x y ".repeat(2_000) },
      ];
      const { id } = await call({ body: { messages: [{ role: "user", content }] } });
      const { text, more } = partIn(await contentOf(id), "request");

      expect(text).toHaveLength(4_096);
      expect(text).toContain("[base64, 8000 characters]");
      expect(text).toContain("a finch x y");
      expect(more["truncated"]).toBe(true);
      expect(Number(more["size_bytes"])).toBeGreaterThan(16_000);
    });

    test("a refused body is no call, and leaves nothing", async () => {
      const { status } = await call({ body: { messages: "a redstart" } });
      const { id } = await call();
      await contentOf(id);

      expect(status).toBe(400);
      expect(stored()).not.toContain("redstart");
    });
  });

  describe("if it is on for errors", () => {
    beforeAll(() => set("content_log.level", "errors"));
    afterAll(() => set("content_log.level", "off"));

    test("only failed calls are stored", async () => {
      const good = await call({ body: { messages: [{ role: "user", content: "a good owl" }] } });
      const ill = await call({
        body: { model: "gpt-4o", messages: [{ role: "user", content: "an ill owl" }] },
      });
      await contentOf(ill.id);

      expect([good.level, ill.level]).toEqual(["errors", "errors"]);
      expect(stored()).toContain("an ill owl");
      expect(stored()).not.toContain("a good owl");
      expect((await root("GET", `/api/log/content/${good.id}`)).status).toBe(404);
    });
  });

  describe("if it is on for errors, a video task", () => {
    beforeAll(() => set("content_log.level", "errors"));
    afterAll(() => set("content_log.level", "off"));

    test("is stored with its result if it fails, and deleted if it succeeds", async () => {
      const [good, ill] = await Promise.all([film("a good heron"), film("an ill heron [fail]")]);
      await waitFor(async () => (await contentOf(ill))["result"] !== null, 20_000);
      await waitFor(async () => (await root("GET", `/api/log/content/${good}`)).status === 404);

      expect(partIn(await contentOf(ill), "result").text).toContain('"failed"');
      expect(stored()).toContain("an ill heron");
      expect(stored()).not.toContain("a good heron");
    });
  });

  describe("the narrowest level wins", () => {
    afterAll(async () => {
      await set("content_log.level", "off");
      await root("PUT", `/api/token/${adasKey.id}/content_log`, { content_log: null });
    });

    test("that of the key, then of its group, then of the gateway", async () => {
      const made = await root("POST", "/api/group", { name: "logged", content_log: "all" });
      const group = Number(made.data["id"]);
      const users = (await root("GET", "/api/user")).data["items"];
      const id = itemsIn(users).find(({ username }) => username === "ada")?.["id"];
      const levelNow = async () => (await call({ key: adasKey.secret })).level;
      const levels = [await levelNow()];
      await root("PUT", `/api/user/${Number(id)}`, { group_id: group });
      await waitFor(async () => (await levelNow()) !== null);
      levels.push(await levelNow());
      await set("content_log.level", "errors");
      levels.push(await levelNow());
      const path = `/api/token/${adasKey.id}/content_log`;
      const changed = await root("PUT", path, { content_log: "off" });
      await waitFor(async () => (await levelNow()) === null);
      levels.push(await levelNow());
      const shown = await ada("GET", `/api/token/${adasKey.id}`);

      expect(changed.status).toBe(200);
      expect(levels).toEqual([null, "all", "all", null]);
      expect(shown.data["content_log"]).toBe("off");
      await root("PUT", `/api/user/${Number(id)}`, { group_id: null });
      await root("DELETE", `/api/group/${group}`);
    });

    test("only an admin may change the level of a key", async () => {
      const path = `/api/token/${adasKey.id}`;

      const own = await ada("PUT", `${path}/content_log`, { content_log: "off" });
      const field = await ada("PUT", path, { content_log: "all" });

      expect(own.status).toBe(403);
      expect((await ada("GET", path)).data["content_log"]).not.toBe("all");
      expect(field.status).toBe(200);
    });
  });

  describe("reading", () => {
    let id: string;
    beforeAll(async () => {
      await root("PUT", `/api/token/${adasKey.id}/content_log`, { content_log: "all" });
      await waitFor(async () => (await call({ key: adasKey.secret })).level === "all");
      ({ id } = await call({ key: adasKey.secret }));
      await contentOf(id);
    });

    test("is for admins, and is written to the audit log", async () => {
      const seen = await auditor("GET", `/api/log/content/${id}`);
      const hers = await ada("GET", `/api/log/self/content/${id}`);
      const rows = itemsIn((await auditor("GET", "/api/audit?page_size=50")).data["items"]);

      expect([seen.status, hers.status]).toEqual([403, 403]);
      const ofCall = rows.filter((row) => JSON.stringify(row).includes(id));
      expect(JSON.stringify(ofCall)).toContain("/api/log/content/:id");
      expect(ofCall.map((row) => row["outcome"])).toContain("done");
    });

    test("is for the owner of the key too if a setting allows it", async () => {
      await set("content_log.owners", "on");
      const hers = await contentOf(id, ada, "/api/log/self");
      const roots = await call();
      const foreign = await ada("GET", `/api/log/self/content/${roots.id}`);
      await set("content_log.owners", "off");

      expect(partIn(hers, "request").text).toContain("nightingale");
      expect(foreign.status).toBe(404);
    });
  });

  test("an invalid pattern is refused with its reason", async () => {
    const { status, body } = await root("PUT", "/api/setting/content_log.patterns", {
      value: "good\n(a",
    });

    expect(status).toBe(400);
    expect(body.message).toContain("pattern 2 has a '(' without a ')'");
  });

  test("metrics count stored and lost contents", async () => {
    const text = await (await opened.get("/metrics")).text();

    expect(text).toMatch(/sluice_content_log_total\{result="stored"\} [1-9]/);
    expect(text).toContain('sluice_content_log_total{result="dropped"} 0');
    expect(text).toMatch(/sluice_content_log_bytes_total [1-9]/);
  });
}

/** Answers with what it was asked; streams split it into small pieces. */
function openRepeater(): Bun.Server<undefined> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith("/ill/")) {
        return Response.json({ error: { message: "The boiler is out." } }, { status: 500 });
      }
      if (pathname.endsWith("/speech")) {
        return new Response(Uint8Array.of(1, 2, 3, 4), {
          headers: { "content-type": "audio/mpeg" },
        });
      }
      if (pathname.endsWith("/transcriptions")) return Response.json({ text: "a robin sings" });
      if (pathname.endsWith("/generations")) {
        return Response.json({ created: 1, data: [{ b64_json: "QUJD".repeat(2_000) }] });
      }
      const body = (await request.json()) as { stream?: boolean; messages?: { content: Json }[] };
      const said = body.messages?.at(-1)?.content;
      const content = typeof said === "string" ? said : "seen";
      const usage = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };
      const head = { id: "chatcmpl-1", created: 1, model: MODEL };
      if (body.stream !== true) {
        const message = { role: "assistant", content };
        const choices = [{ index: 0, message, finish_reason: "stop" }];
        return Response.json({ ...head, object: "chat.completion", choices, usage });
      }
      const chunk = (delta: JsonObject, finish: string | null): string =>
        `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], usage: null })}\n\n`;
      const pieces = content
        .split(/(?=[@ -])|(?<=@)/)
        .map((each) => chunk({ content: each }, null));
      const last = `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`;
      const text = [
        chunk({ role: "assistant", content: "" }, null),
        ...pieces,
        chunk({}, "stop"),
        last,
      ];
      return new Response(`${text.join("")}data: [DONE]\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
}

function deltasIn(events: string): string {
  const contents = events.matchAll(/"delta":\{[^}]*"content":"([^"]*)"/g);
  return [...contents].map(([, content]) => content).join("");
}

function itemsIn(items: Json | undefined): readonly JsonObject[] {
  return items !== undefined && isArray(items) ? items.filter(isObject) : [];
}
