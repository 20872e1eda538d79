import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askWith, bearer, logIn, PASSWORD, textIn } from "#test/accounts.ts";
import { startProgram, type Program } from "#test/program.ts";

/** No two alike, and none of them like the keys of any vendor, which scanners know by their look. */
const PLANTED = {
  channel: "a-channels-own-secret-quartz",
  second: "the-second-secret-of-it-gneiss",
  passing: "a-passing-channels-secret-basalt",
  adapted: "an-adapted-channels-secret-slate",
  stored: "a-stored-channels-secret-jasper",
  storedBefore: "the-secret-it-had-before-tuff",
  mistyped: "a-secret-in-a-refused-body-opal",
  document: "a-secret-in-a-document-that-is-applied-onyx",
  pepper: "what-is-mixed-into-digests-granite",
  bootstrap: "the-key-that-is-there-from-the-start-marl",
  named: "a-key-that-the-file-names-dolomite",
  metrics: "what-monitoring-has-to-show-chalk",
  password: "what the root types flint",
  usersPassword: "what a user types obsidian",
};
const EMAIL = "root@example.com";

let folder: string;
let program: Program;
let vendor: ReturnType<typeof Bun.serve>;
/** Everything that was answered, headers included. */
let answers = "";

/** A vendor that repeats what it was shown, in whatever way it can. */
function openTeller() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const status = Number(/status (\d+)/.exec(body)?.[1] ?? 400);
      const shown = [...request.headers.values()].join(" ");
      const message = `I was shown ${shown}`;
      const headers = { "x-shown": request.headers.get("authorization") ?? "" };
      if (body.includes("as success")) return Response.json({ error: { message, code: message } });
      return body.includes("as text")
        ? new Response(message, { status, headers })
        : Response.json({ error: { message, type: message, code: message } }, { status, headers });
    },
  });
}

async function keep(response: Response): Promise<Response> {
  answers += `${response.status} ${JSON.stringify([...response.headers])} ${await response.clone().text()}\n`;
  return response;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-secrets-"));
  vendor = openTeller();
  const url = `http://127.0.0.1:${vendor.port}`;
  const yaml = `channels:
  - { name: a, provider: openai, base_url: "${url}/v1", api_keys: [${PLANTED.channel}, ${PLANTED.second}], models: [passed] }
  - { name: b, provider: anthropic, base_url: "${url}/v1", api_key: ${PLANTED.passing}, models: [translated] }
  - { name: c, provider: ai-sdk, base_url: "${url}/v1", api_key: ${PLANTED.adapted}, options: { package: "@ai-sdk/openai", api: chat }, models: [adapted] }
keys:
  - { name: ci, key: ${PLANTED.named} }
`;
  writeFileSync(join(folder, "sluice.yaml"), yaml);
  program = await startProgram(
    {
      SLUICE_CONFIG: join(folder, "sluice.yaml"),
      SLUICE_DATA_DIR: join(folder, "data"),
      SLUICE_LOG_LEVEL: "trace",
      SLUICE_SECRET: PLANTED.pepper,
      SLUICE_BOOTSTRAP_KEY: PLANTED.bootstrap,
      SLUICE_METRICS_TOKEN: PLANTED.metrics,
      SLUICE_ADMIN_EMAIL: EMAIL,
      SLUICE_ADMIN_PASSWORD: PLANTED.password,
    },
    // The log goes to standard error. An executable does not find the packages of the AI SDK.
    ["sh", "-c", `exec "${process.execPath}" src/main.ts start 2>"${join(folder, "log")}"`],
  );
});
afterAll(async () => {
  await program[Symbol.asyncDispose]();
  await vendor.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

test("sixteen planted secrets are in no response, no log line and no byte of the database", async () => {
  const { url } = program;
  const send = async (key: string, path: string, body: unknown) =>
    keep(
      await fetch(url + path, {
        method: "POST",
        headers: { ...bearer(key), "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );

  // A channel whose credential the database keeps.
  const root = await logIn(url, { email: EMAIL, password: PLANTED.password });
  const manage = async (method: string, path: string, body?: unknown) =>
    keep(
      await fetch(url + path, {
        method,
        headers: { "content-type": "application/json", ...root },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const channel = {
    name: "d",
    provider: "openai",
    base_url: `http://127.0.0.1:${vendor.port}/v1`,
    api_key: PLANTED.storedBefore,
    models: ["stored"],
  };
  await manage("POST", "/api/channel", channel);
  await manage("PUT", "/api/channel/1", { api_key: PLANTED.stored });
  const mistakes = [
    { api_key: ` ${PLANTED.mistyped}` },
    { api_key: { secret: PLANTED.mistyped } },
    { api_keys: [PLANTED.mistyped, PLANTED.mistyped, 7] },
    { api_keys: [PLANTED.mistyped], api_key: PLANTED.mistyped },
    { api_key: PLANTED.mistyped, provider: "nobody" },
    { api_key: PLANTED.mistyped, name: "a" },
    { api_key: PLANTED.mistyped, name: "d" },
    { api_key: PLANTED.mistyped, base_url: `http://me:${PLANTED.mistyped}@127.0.0.1` },
    { api_key: PLANTED.mistyped, base_url: "http://169.254.169.254" },
  ];
  for (const mistake of mistakes) {
    const refused = await manage("POST", "/api/channel", { ...channel, name: "e", ...mistake });
    expect(refused.status).toBe(400);
  }
  for (const path of ["/api/channel", "/api/channel/1", "/api/channel/a", "/api/model"]) {
    await manage("GET", path);
  }
  for (const body of [{}, { model: "stored" }, { model: "status 500" }]) {
    await manage("POST", "/api/channel/1/test", body);
  }

  // Documents, in which secrets stand as they are.
  const submit = async (path: string, document: string) =>
    keep(
      await fetch(url + path, {
        method: "POST",
        headers: { ...root, "content-type": "application/yaml" },
        body: document,
      }),
    );
  const item = (key: string, more = ""): string =>
    `{ name: f, provider: openai, api_keys: [${key}], status: disabled${more} }`;
  const described = (key: string, more?: string): string => `channels: [${item(key, more)}]`;
  for (const document of [
    described(`" ${PLANTED.mistyped}"`),
    described(`{ is: ${PLANTED.mistyped} }`),
    described(PLANTED.mistyped, ", weight: 0"),
    `${described(PLANTED.mistyped)}\nchannels: []`,
    `${described(PLANTED.mistyped)}: [`,
    `settings: { metrics_token: ${PLANTED.mistyped} }`,
  ]) {
    expect((await submit("/api/config/plan", document)).status).toBe(400);
  }
  const exported = await (await manage("GET", "/api/config")).text();
  expect(exported).toContain('"***sper"');
  const document = exported.replace("channels:\n", `channels:\n  - ${item(PLANTED.document)}\n`);
  const planned = (await (await submit("/api/config/plan", document)).json()) as {
    data: { digest: string };
  };
  const applied = await submit(`/api/config/apply?plan=${planned.data.digest}`, document);
  expect(applied.status).toBe(200);
  await manage("GET", "/api/config");
  expect(answers).toContain("***onyx");
  await manage("PUT", "/api/setting/metrics_token", { value: PLANTED.mistyped });
  await manage("GET", "/api/setting");

  // Whatever a failing vendor says, in every way to reach one.
  for (const key of [PLANTED.bootstrap, PLANTED.named]) {
    for (const model of ["passed", "translated", "adapted", "stored"]) {
      for (const content of [
        "status 400",
        "status 403",
        "status 429 as text",
        "status 500",
        "as success",
      ]) {
        for (const stream of [false, true]) {
          const body = { model, stream, max_tokens: 9, messages: [{ role: "user", content }] };
          await send(key, "/v1/chat/completions", body);
          await send(key, "/v1/messages", body);
          await send(key, "/api/explain", { style: "chat", body });
        }
      }
    }
  }
  expect(answers).toContain("I was shown");

  // What people do.
  const asRoot = askWith(url, root);
  const user = { username: "ada", password: PLANTED.usersPassword };
  answers += JSON.stringify((await asRoot("POST", "/api/user", user)).body);
  const ada = askWith(url, await logIn(url, user));
  const token = textIn((await ada("POST", "/api/user/token")).data, "token");
  const key = textIn((await ada("POST", "/api/token", { name: "own" })).data, "key");
  const wrong = { ...user, password: `${PASSWORD} wrong` };
  answers += JSON.stringify((await askWith(url)("POST", "/api/user/login", wrong)).body);
  for (const path of ["/api/token", "/api/user/self", "/api/log/self", "/api/user/self/quota"]) {
    await keep(await fetch(url + path, { headers: bearer(token) }));
  }
  for (const path of ["/api/user", "/api/log", "/api/token", "/v1/models", "/nowhere"]) {
    await keep(await fetch(url + path, { headers: root }));
    await keep(await fetch(`${url}${path}?key=${key}`));
  }
  for (const path of ["/openapi.json", "/livez", "/readyz", "/metrics"]) {
    await keep(await fetch(url + path, { headers: bearer(PLANTED.metrics) }));
    await keep(await fetch(url + path));
  }
  expect(answers).toContain("...sper");
  await program.end("SIGTERM");

  const places: Record<string, string> = { answers, output: program.output() };
  places["log"] = readFileSync(join(folder, "log"), "latin1");
  const files = readdirSync(join(folder, "data"), { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    places[file.name] = readFileSync(join(file.parentPath, file.name), "latin1");
  }
  expect(places["log"]?.length).toBeGreaterThan(0);
  expect(Object.keys(places)).toContain("sluice.db");
  // Only sealed.
  expect(/v1\.[\w-]{8}(\.[\w-]{40,}){2}/.test(places["sluice.db"] ?? "")).toBe(true);
  const found = Object.entries({ ...PLANTED, token, key }).flatMap(([name, secret]) =>
    Object.keys(places)
      .filter((place) => places[place]?.includes(secret))
      .map((place) => `${name} in ${place}`),
  );
  expect(found).toEqual([]);
}, 60_000);
