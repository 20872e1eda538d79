import { closeSync, openSync, readFileSync } from "node:fs";

import { processTree } from "./proc.ts";

/** A process of the bench, which never outlives it. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  readonly logPath: string;
  /** The next line of its standard output; only with `lines`. */
  readLine(timeoutMs: number): Promise<string>;
  send(line: string): void;
  /** Throws, with the end of what it wrote, once it has ended. */
  assertRuns(): void;
}

export interface ChildOptions {
  readonly name: string;
  readonly command: readonly string[];
  /** Where its log file goes. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its standard output is for us to read, and no log. */
  readonly lines?: boolean;
}

const GRACE_MS = 5000;
const running = new Set<number>();

/** The last resort, for signals and crashes: an exit handler has no time to ask kindly. */
process.on("exit", () => {
  for (const pid of running) kill(processTree(pid), "SIGKILL");
});

/**
 * Starts a process with a clean environment: what happens to be set on this
 * machine (a database, a vendor's key) must neither change a figure nor be touched.
 */
export function startChild(options: ChildOptions): Child {
  const { name, folder, command, env, cwd = folder } = options;
  const logPath = `${folder}/${name}.log`;
  const log = openSync(logPath, "a");
  const stdout = options.lines === true ? "pipe" : log;
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH, HOME, TMPDIR, ...env },
    stdin: "pipe",
    stdout,
    stderr: log,
  });
  closeSync(log);
  running.add(child.pid);
  const ended = child.exited.then(() => running.delete(child.pid));
  const lines = child.stdout instanceof ReadableStream ? readLines(child.stdout) : undefined;

  function assertRuns(): void {
    if (child.exitCode === null && child.signalCode === null) return;
    const words = readFileSync(logPath, "utf8").trim().slice(-2000);
    throw new Error(`${name} has ended (${child.exitCode ?? child.signalCode}). ${words}`);
  }

  return {
    pid: child.pid,
    logPath,
    assertRuns,
    async readLine(timeoutMs) {
      const line = await within(timeoutMs, lines?.next());
      if (typeof line?.value === "string") return line.value;
      await within(1000, ended);
      assertRuns();
      throw new Error(`${name} said nothing for ${timeoutMs / 1000} s.`);
    },
    send(line) {
      void child.stdin.write(`${line}\n`);
      void child.stdin.flush();
    },
    async [Symbol.asyncDispose]() {
      // Found before it is asked to end: afterwards nothing tells whose children they were.
      const tree = processTree(child.pid);
      kill(tree.slice(0, 1), "SIGTERM");
      await within(GRACE_MS, ended);
      kill(tree, "SIGKILL");
      await ended;
    },
  };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}

function kill(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

async function within<T>(timeoutMs: number, promise: Promise<T> | undefined) {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), timeoutMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
