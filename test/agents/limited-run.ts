import { spawn } from "node:child_process";

/** How a program ended, and what it had printed: the end of it where it was much. */
export interface Ended {
  /** Null where a signal or the time limit ended it. */
  readonly code: number | null;
  readonly isOutOfTime: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs: number;
}

/**
 * Runs a program with nothing to read, in a process group of its own, which is
 * ended with it: agents leave servers and shells behind. Rejects when it
 * cannot be started at all.
 */
export async function runLimited(
  program: string,
  args: readonly string[],
  { cwd, env, limitMs }: RunOptions,
): Promise<Ended> {
  const child = spawn(program, args, {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const endGroup = () => endProcessGroup(child.pid);
  process.on("exit", endGroup);
  let isOutOfTime = false;
  const limit = setTimeout(() => {
    isOutOfTime = true;
    endGroup();
  }, limitMs);

  try {
    const [stdout, stderr] = [tailOf(child.stdout), tailOf(child.stderr)];
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    endGroup();
    // A grandchild in another group may hold the pipes open; what it prints is of no interest.
    await Promise.race([Promise.all([stdout.done, stderr.done]), Bun.sleep(LAST_WORDS_MS)]);
    return { code, isOutOfTime, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    clearTimeout(limit);
    process.off("exit", endGroup);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

const LAST_WORDS_MS = 1_000;
const MAX_CHARACTERS = 1_000_000;

function endProcessGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended, and so have all that it started.
  }
}

function tailOf(stream: NodeJS.ReadableStream) {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    text = (text + part).slice(-MAX_CHARACTERS);
  });
  const done = new Promise<void>((resolve) => {
    stream.once("close", resolve);
    stream.once("error", () => resolve());
  });
  return { text: () => text, done };
}
