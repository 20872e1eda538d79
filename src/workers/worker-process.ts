import { spawn } from "node:child_process";
import { once } from "node:events";
import type { SupervisorMessage, WorkerMessage } from "./messages.ts";
import { WORKER_VARIABLE } from "./worker-link.ts";

/** A process that serves the shared port. */
export interface WorkerProcess {
  readonly pid: number;
  /** Its exit code; 1 if a signal ended it. All its messages came before. */
  readonly exited: Promise<number>;
  send(message: SupervisorMessage): void;
  kill(signal: NodeJS.Signals): void;
}

export type StartWorker = (
  port: number | undefined,
  onMessage: (message: WorkerMessage) => void,
) => WorkerProcess;

const LAST_MESSAGES_MS = 1_000;

/** Starts the program of this process once more, with the same arguments. */
export const startWorkerProcess: StartWorker = (port, onMessage) => {
  const child = spawn(process.execPath, wordsOfProgram(), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      ...(port === undefined ? {} : { SLUICE_PORT: String(port) }),
      [WORKER_VARIABLE]: "1",
      // The worker ends if this process is gone.
      SLUICE_LAUNCHER_PID: String(process.pid),
    },
  });
  child.on("message", onMessage);
  // A worker that does not start has no process to send to.
  child.on("error", () => {});
  return {
    pid: child.pid ?? 0,
    exited: endOf(child),
    send: (message) => void (child.connected && child.send(message, () => {})),
    kill: (signal) => void child.kill(signal),
  };
};

async function endOf(child: ReturnType<typeof spawn>): Promise<number> {
  if (child.pid === undefined) return 1;
  const [code] = (await once(child, "exit")) as [number | null];
  if (child.connected) {
    const late = AbortSignal.timeout(LAST_MESSAGES_MS);
    await once(child, "disconnect", { signal: late }).catch(() => {});
  }
  return code ?? 1;
}

/** An executable has the first two words by itself. */
function wordsOfProgram(): string[] {
  return process.argv[1]?.startsWith("/$bunfs/") === true
    ? process.argv.slice(2)
    : process.argv.slice(1);
}
