import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** The gateway as an operator runs it: a process of its own. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly url: string;
  /** All that it has printed so far. */
  readonly output: () => string;
  /** Sends the signal and waits for the end; the exit code, or null where the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const SETTINGS = {
  // In a container it would wait for load balancers.
  SLUICE_LIMIT_DRAIN_DELAY_MS: "0",
  // An executable starts itself a second time without them.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "20000",
  BUN_JSC_forceRAMSize: "300000000",
  BUN_JSC_numberOfGCMarkers: "1",
};

const COMPILED = process.env["TEST_PROGRAM"] ?? "";
/** `npm test` compiles the gateway once for the whole run; a file that is tested alone runs it from source. */
export const PROGRAM: readonly string[] =
  COMPILED === "" ? [process.execPath, "src/main.ts"] : [COMPILED];
/** The same for a shell. */
export const COMMAND = PROGRAM.map((word) => `"${word}"`).join(" ");

export async function startProgram(
  env: Readonly<Record<string, string>>,
  command: readonly string[] = [...PROGRAM, "start"],
): Promise<Program> {
  const [executable = "", ...args] = command;
  const child = spawn(executable, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env["PATH"] ?? "",
      SLUICE_PORT: "0",
      SLUICE_LOG_LEVEL: "error",
      ...SETTINGS,
      ...env,
    },
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  let output = "";
  const listening = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    output += `${line}\n`;
    const [, url] = /listens on (\S+)/.exec(line) ?? [];
    if (url !== undefined) listening.resolve(url);
  });
  exited.then(
    ([code]) => listening.reject(new Error(`It ended with ${code} before it listened.`)),
    listening.reject,
  );

  const url = await listening.promise;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return (await exited)[0];
  };
  return {
    child,
    url,
    output: () => output,
    end,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) await end("SIGKILL");
    },
  };
}
