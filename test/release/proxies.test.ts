import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { waitFor } from "#test/wait.ts";

const NGINX = Bun.which("nginx") ?? Bun.which("nginx", { PATH: "/usr/sbin" });
const SYSTEMD = Bun.which("systemd-analyze");
if (NGINX === null) process.stdout.write("nginx's example is not tested: install nginx.\n");
if (SYSTEMD === null) process.stdout.write("The unit is not verified: install systemd.\n");
const nginxTest = test.if(NGINX !== null);

const MIB = 1024 * 1024;
const PIECES = 5;
/** Resolves once the reader has the last piece. */
let arrived = Promise.withResolvers<void>();
let folder = "";
let url = "";
let nginx: ChildProcess | undefined;

/** Answers with pieces, each after the last has arrived, or with the size of the body and the headers that arrived. */
const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  maxRequestBodySize: 128 * MIB,
  async fetch(request) {
    if (new URL(request.url).pathname === "/stream") return new Response(pieces());
    const body = await request.arrayBuffer();
    return Response.json({ size: body.byteLength, headers: Object.fromEntries(request.headers) });
  },
});

async function* pieces(): AsyncGenerator<string> {
  for (let piece = 0; piece < PIECES; piece++) {
    arrived = Promise.withResolvers();
    yield `data: ${piece}\n\n`;
    await arrived.promise;
  }
}

beforeAll(async () => {
  if (NGINX === null) return;
  folder = mkdtempSync(join(tmpdir(), "sluice-nginx-"));
  const free = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = free;
  await free.stop(true);
  const path = join(folder, "nginx.conf");
  const example = readFileSync("deploy/proxies/nginx.conf", "utf8");
  const own = example
    .replace("127.0.0.1:8080", `127.0.0.1:${upstream.port}`)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("worker_processes auto;", "worker_processes 1; pid nginx.pid; daemon off;")
    .replace("access_log off;", TEMPORARY.map((each) => `${each}_temp_path ${each};`).join(" "));
  writeFileSync(path, own);
  nginx = spawn(NGINX, ["-p", folder, "-c", path, "-e", join(folder, "error.log")]);
  url = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(url).catch(() => undefined))?.ok === true);
});
const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

afterAll(async () => {
  await upstream.stop(true);
  if (nginx !== undefined) {
    const ended = once(nginx, "exit");
    nginx.kill("SIGTERM");
    await ended;
  }
  if (folder !== "") rmSync(folder, { recursive: true, force: true });
});

nginxTest("nginx delivers each piece of a stream before the next is written", async () => {
  const response = await fetch(`${url}/stream`);
  const reads: string[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    reads.push(decoder.decode(chunk));
    arrived.resolve();
  }

  expect(reads).toEqual(Array.from({ length: PIECES }, (_, piece) => `data: ${piece}\n\n`));
});

nginxTest("nginx passes bodies of 25 MB, and refuses those above the gateway's limit", async () => {
  const large = await fetch(url, { method: "POST", body: new Uint8Array(25 * MIB) });
  const tooLarge = await fetch(url, { method: "POST", body: new Uint8Array(65 * MIB) });

  expect(await large.json()).toMatchObject({ size: 25 * MIB });
  expect(tooLarge.status).toBe(413);
});

nginxTest(
  "nginx tells the gateway the host with its port, the client and the protocol",
  async () => {
    const response = await fetch(url, { headers: { cookie: "session=1" } });

    expect(await response.json()).toMatchObject({
      headers: {
        host: new URL(url).host,
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-proto": "http",
        cookie: "session=1",
      },
    });
  },
);

test("nginx of the compose file differs in the names of the gateways alone", () => {
  const from = (path: string): string =>
    readFileSync(`deploy/proxies/${path}`, "utf8")
      .replace(/^#.*\n/, "")
      .replace(/(?: {2}#[^\n]*\n {2}resolver[^\n]*\n)? {2}upstream sluice \{[^}]*\}\n/, "");

  expect(from("nginx.compose.conf")).toBe(from("nginx.conf"));
});

test("Traefik's example sends each byte of a stream at once", () => {
  const { http } = parse(readFileSync("deploy/proxies/traefik.yaml", "utf8"));

  expect(http.services.sluice.loadBalancer.responseForwarding.flushInterval).toBe("-1ns");
  expect(http.serversTransports).toHaveProperty(http.services.sluice.loadBalancer.serversTransport);
});

test.if(SYSTEMD !== null)("systemd accepts the unit, but for the path of the executable", () => {
  const made = spawnSync("systemd-analyze", ["verify", "deploy/systemd/sluice.service"], {
    encoding: "utf8",
  });
  const found = `${made.stdout}${made.stderr}`
    .split("\n")
    .filter((line) => line.includes("sluice.service") && !line.includes("is not executable"));

  expect(found).toEqual([]);
});

test("the unit waits longer for the end than the gateway drains", () => {
  const unit = readFileSync("deploy/systemd/sluice.service", "utf8");

  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(125);
});
