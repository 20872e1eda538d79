import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { chown } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A server program of this machine that tests need. */
export interface ServiceProgram {
  readonly name: string;
  /** The Debian package that holds it, for the line that says what is missing. */
  readonly debianPackage: string;
  /** Full path of the executable, if it is installed. */
  find(): string | undefined;
  /** Refuses to run as root, so it runs as this user then. */
  readonly unprivilegedUser?: string;
  /** Commands that prepare the data folder, in order. */
  prepare?(folder: string): readonly (readonly string[])[];
  /** Ends it at once, whatever clients are still connected; SIGTERM if absent. */
  readonly stopSignal?: "SIGINT";
  /** Arguments that start it in the foreground, on loopback only. */
  serve(folder: string, port: number): readonly string[];
  url(port: number): string;
  /** Resolves if the server answers a request; throws if it does not yet. */
  ping(url: string): Promise<unknown>;
}

export interface Service extends AsyncDisposable {
  readonly url: string;
  /** All its files; removed at the end. */
  readonly folder: string;
  readonly pid: number;
}

const START_ATTEMPTS = 3;
const START_MS = 30_000;
const POLL_MS = 30;
const STOP_MS = 5_000;

/**
 * Starts a server on a free loopback port with a new data folder. Another
 * process may take the port between the choice and the start: then it is
 * tried again on another one.
 */
export async function startService(program: ServiceProgram): Promise<Service> {
  const executable = program.find();
  if (executable === undefined) throw new Error(`${program.name} is not installed.`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(program, executable);
    } catch (cause) {
      if (attempt === START_ATTEMPTS) throw cause;
    }
  }
}

async function startOnce(program: ServiceProgram, executable: string): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), `sluice-${program.name.toLowerCase()}-`));
  try {
    const prefix = await runAs(program, folder);
    for (const command of program.prepare?.(folder) ?? [])
      runToEnd([...prefix, ...command], folder);

    const port = await freePort();
    const logFile = join(folder, "server.log");
    const log = openSync(logFile, "a");
    const [command = "", ...args] = [...prefix, executable, ...program.serve(folder, port)];
    const child = spawn(command, args, {
      cwd: folder,
      env: envIn(folder),
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    const ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    const { pid } = child;
    const stop = async (): Promise<void> => {
      child.kill(program.stopSignal ?? "SIGTERM");
      await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    };

    const url = program.url(port);
    const isUp = await Promise.race([
      whenAnswering(program, url).then(() => true),
      ended.then(() => false),
    ]);
    if (!isUp || pid === undefined) {
      const words = existsSync(logFile) ? readFileSync(logFile, "utf8").slice(-2_000) : "";
      await stop();
      throw new Error(`${program.name} did not start on port ${port}:\n${words}`);
    }
    return { url, folder, pid, [Symbol.asyncDispose]: stop };
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw cause;
  }
}

/**
 * What stands before each command: on Linux the server ends with the
 * process that started it, even if that is killed, and leaves root if it must.
 */
async function runAs(
  { unprivilegedUser, stopSignal }: ServiceProgram,
  folder: string,
): Promise<readonly string[]> {
  const setpriv = process.platform === "linux" ? findProgram("setpriv", []) : undefined;
  const isRoot = process.getuid?.() === 0;
  if (setpriv === undefined) {
    if (isRoot && unprivilegedUser !== undefined)
      throw new Error("'setpriv' of util-linux is needed to start this server as root.");
    return [];
  }
  const withParent = ["--pdeathsig", stopSignal ?? "SIGTERM"];
  if (!isRoot || unprivilegedUser === undefined) return [setpriv, ...withParent];

  const account = accountOf(unprivilegedUser) ?? accountOf("nobody");
  if (account === undefined) throw new Error(`There is no user '${unprivilegedUser}'.`);
  const [uid, gid] = account;
  await chown(folder, uid, gid);
  const asUser = ["--reuid", String(uid), "--regid", String(gid), "--clear-groups"];
  return [setpriv, ...asUser, ...withParent];
}

function accountOf(user: string): readonly [uid: number, gid: number] | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${user}:`));
  if (line === undefined) return undefined;
  const [, , uid, gid] = line.split(":");
  return [Number(uid), Number(gid)];
}

/** Whoever runs it may write nowhere else. */
function envIn(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, TMPDIR: folder };
}

function runToEnd([command = "", ...args]: readonly string[], cwd: string): void {
  const env = envIn(cwd);
  const { status, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`${command} failed: ${stderr.slice(-2_000)}`);
}

async function whenAnswering({ name, ping }: ServiceProgram, url: string): Promise<void> {
  const until = performance.now() + START_MS;
  for (;;) {
    try {
      await ping(url);
      return;
    } catch (cause) {
      if (performance.now() > until)
        throw new Error(`${name} did not answer within ${START_MS} ms.`, { cause });
    }
    await sleep(POLL_MS);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Full path of a program: on the PATH, or in one of the folders where packages put it. */
export function findProgram(name: string, folders: readonly string[]): string | undefined {
  const path = (process.env["PATH"] ?? "").split(delimiter);
  return [...folders, ...path, "/usr/sbin", "/usr/local/sbin"]
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
