import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "#package.json" with { type: "json" };
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { compileProgram } from "#test/compiled-program.ts";
import { IS_LONG } from "#test/seed.ts";
import { waitFor } from "#test/wait.ts";

const CAN_BUILD = Bun.which("buildah") !== null && process.getuid?.() === 0;
if (IS_LONG && !CAN_BUILD) {
  process.stdout.write("The image is not built: install the package buildah and run as root.\n");
}
const isRun = IS_LONG && CAN_BUILD;
const longTest = test.if(isRun);
const PORT = 18_761;

let folder = "";
let config: JsonObject = {};
let root = "";

beforeAll(async () => {
  if (!isRun) return;
  folder = mkdtempSync(join(tmpdir(), "sluice-image-"));
  const program = await compileProgram(folder);
  run("node", "deploy/image/root.mjs", program, join(folder, "context", "image"));
  // The stage that compiles needs a public base image, which the machine may not reach.
  const file = join(folder, "program.Dockerfile");
  writeFileSync(file, "FROM scratch\nCOPY image /image\n");
  buildah("bud", "--isolation", "chroot", "-f", file, "-t", "program", join(folder, "context"));
  const from = ["--format", "docker", "--build-arg", "PROGRAM=localhost/program"];
  buildah("bud", "--isolation", "chroot", ...from, "-t", "sluice", ".");
  const container = buildah("from", "--pull-never", "localhost/sluice");
  root = buildah("mount", container);
  const inspected = parseJson(buildah("inspect", "--type", "image", "localhost/sluice"));
  config = memberAt(inspected, "Docker", "config");
}, 300_000);

afterAll(() => {
  if (folder === "") return;
  buildah("rm", "--all");
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

longTest("the image runs as a user without rights, says its version and has a health check", () => {
  expect(config).toMatchObject({
    User: "65532:65532",
    StopSignal: "SIGTERM",
    Entrypoint: ["/usr/bin/sluice"],
    Cmd: ["start"],
    Labels: { "org.opencontainers.image.version": manifest.version },
    Healthcheck: { Test: ["CMD", "/usr/bin/sluice", "health"] },
    Volumes: { "/data": {} },
  });
  expect(existsSync(join(root, "bin/sh"))).toBe(false);
  expect(inImage("--version").stdout.trim()).toBe(manifest.version);
});

longTest("the image serves calls on a read-only root, and a stop signal drains it", async () => {
  expect(inImage("health")).toMatchObject({ status: 1 });

  const child = spawn("unshare", argsOf("start"), { stdio: ["ignore", "pipe", "inherit"] });
  await using _ended = endOf(child);
  await waitFor(() => inImage("health").status === 0);
  const ready = await fetch(`http://127.0.0.1:${PORT}/readyz`);
  const written = readdirSync(join(folder, "data"));

  expect(await ready.json()).toMatchObject({ simulated: true });
  expect(written).toContain("secret");
  child.kill("SIGTERM");
  // In a container the gateway takes calls for five seconds more, and is not ready.
  await waitFor(() => inImage("health").status === 1);
  expect((await fetch(`http://127.0.0.1:${PORT}/livez`)).status).toBe(200);
  const [code] = (await once(child, "exit")) as [number | null];
  expect(code).toBe(0);
});

function inImage(...words: string[]): { readonly status: number | null; readonly stdout: string } {
  return spawnSync("unshare", argsOf(...words), { encoding: "utf8" });
}

/**
 * Runs the image's program as a container runtime does with a read-only root: own mounts, the
 * image's user and variables, and one writable folder.
 */
function argsOf(...words: string[]): string[] {
  const data = join(folder, "data");
  for (const each of [data, join(root, "dev"), join(root, "proc")])
    mkdirSync(each, { recursive: true });
  const mounts = [
    `chown 65532:65532 ${data}`,
    `mount --bind ${root} ${root}`,
    `mount --bind ${data} ${root}/data`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t proc proc ${root}/proc`,
    `mount -o remount,bind,ro ${root}`,
    `cd ${root}`,
  ];
  const env = [...listAt("Env"), `SLUICE_PORT=${PORT}`, "SLUICE_SANDBOX=on"];
  const [user, entry] = [textOf(config["User"]) ?? "", listAt("Entrypoint")];
  const start = ["env", "-i", ...env, "chroot", `--userspec=${user}`, root, ...entry, ...words];
  // The shell's PATH finds chroot; the program itself sees the image's variables alone.
  start[start.indexOf("chroot")] = Bun.which("chroot") ?? "chroot";
  return ["--mount", "sh", "-c", `${mounts.join(" && ")} && exec "$@"`, "sh", ...start];
}

function listAt(name: string): string[] {
  const list = config[name];
  return Array.isArray(list) ? list.map(String) : [];
}

function memberAt(value: unknown, ...path: string[]): JsonObject {
  let found = value;
  for (const name of path) found = (found as JsonObject)[name];
  if (!isObject(found as JsonObject)) throw new Error(`The image has no ${path.join(".")}.`);
  return found as JsonObject;
}

function endOf(child: ChildProcess): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Its images are in the folder of the test; those of the machine are left alone. */
function buildah(...words: string[]): string {
  const own = ["--root", join(folder, "images"), "--runroot", join(folder, "run")];
  return run("buildah", "--storage-driver", "vfs", ...own, ...words);
}

function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed: ${stderr}`);
  return stdout.trim();
}
