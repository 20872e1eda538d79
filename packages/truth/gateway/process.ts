import { spawn, type ChildProcess } from "node:child_process";
import { openSync, closeSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Prepared } from "./adapter.ts";
import { memoryOfGroup } from "./memory.ts";

const READY_LIMIT_MS = 180_000;
const END_LIMIT_MS = 60_000;
const SHOWN_LOG_CHARS = 2_000;

/** The processes of a gateway, which are a group of their own and can be killed together. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  /** Resolves once the process has ended. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Resident memory of all its processes, in bytes; undefined outside Linux. */
  memory(): number | undefined;
}

export function processOf(prepared: Prepared, port: number, logPath: string): GatewayProcess {
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended.
    }
  };
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    const ending = child;
    if (ending === undefined) return;
    const ended = hasEnded(ending)
      ? Promise.resolve(true)
      : new Promise<boolean>((resolve) => ending.once("exit", () => resolve(true)));
    if (signal === "SIGKILL") signalGroup(signal);
    else ending.kill(signal);
    const limit = AbortSignal.timeout(END_LIMIT_MS);
    const late = new Promise<boolean>((resolve) =>
      limit.addEventListener("abort", () => resolve(false)),
    );
    if (!(await Promise.race([ended, late]))) {
      throw new Error(`The gateway did not end within ${END_LIMIT_MS / 1000} s of ${signal}.`);
    }
    // Helpers that its main process left behind.
    signalGroup("SIGKILL");
    child = undefined;
  };

  return {
    url,
    async start() {
      const [program = "", ...args] = prepared.command;
      const log = openSync(logPath, "a");
      child = spawn(program, args, {
        cwd: prepared.cwd,
        env: { ...process.env, ...prepared.env },
        stdio: ["ignore", log, log],
        detached: true,
      });
      closeSync(log);
      const started = child;
      let failure = "";
      started.once("error", (cause) => (failure = String(cause)));
      const isOver = (): string | undefined => {
        if (failure !== "") return failure;
        return hasEnded(started) ? "It has ended." : undefined;
      };
      await waitUntilReady(url + prepared.readyPath, isOver, logPath);
    },
    end,
    memory: () => (child?.pid === undefined ? undefined : memoryOfGroup(child.pid)),
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function waitUntilReady(
  url: string,
  isOver: () => string | undefined,
  logPath: string,
): Promise<void> {
  const until = performance.now() + READY_LIMIT_MS;
  while (performance.now() < until) {
    const failure = isOver();
    if (failure !== undefined) throw new Error(`${failure}\n${endOf(logPath)}`);
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await sleep(50);
  }
  throw new Error(`${url} was not ready within ${READY_LIMIT_MS / 1000} s.\n${endOf(logPath)}`);
}

const endOf = (path: string): string => readFileSync(path, "utf8").slice(-SHOWN_LOG_CHARS);

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
