import { once } from "node:events";
import { createServer } from "node:net";
import type { Logger } from "#lib/log.ts";
import { Supervisor } from "./supervisor.ts";
import { startWorkerProcess } from "./worker-process.ts";

interface RunOptions {
  readonly count: number;
  readonly host: string;
  readonly port: number;
  readonly log: Logger;
  readonly output: { write(text: string): unknown };
  /** Resolves at the first signal to stop; later ones go to the function. */
  firstSignal(onLater: (signal: NodeJS.Signals) => void): Promise<NodeJS.Signals>;
}

/** Runs the gateway in several processes until a signal; the exit code. */
export async function runWorkers(options: RunOptions): Promise<number> {
  const { count, host, port, log, output } = options;
  await assertUnused(host, port);
  const supervisor = new Supervisor({ count, startWorker: startWorkerProcess, log });
  const signal = options.firstSignal((later) => supervisor.hurry(later));
  const starting = supervisor.start();
  const early = await Promise.race([starting, signal.then(() => "")]);
  if (early === undefined) {
    await supervisor.stop("SIGTERM");
    return 1;
  }
  output.write(early === "" ? "" : `${early}${count} processes share the port.\n`);
  // A terminal that was closed ends the gateway; without one, the signal asks for new processes.
  const hangUp = onHangUp(() => void supervisor.restart());
  const ended = await Promise.race([signal, hangUp, supervisor.failed]);
  if (ended === undefined) {
    log.error({}, "no worker can be kept running");
    await supervisor.stop("SIGTERM");
    return 1;
  }
  log.info({ signal: ended }, "shutting down; send the signal again to exit immediately");
  return await supervisor.stop(ended === "SIGHUP" ? "SIGTERM" : ended);
}

function onHangUp(restart: () => void): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const isOnTerminal = process.stdin.isTTY;
  process.on("SIGHUP", () => (isOnTerminal ? resolve("SIGHUP") : restart()));
  return promise;
}

/** Ports that processes share cannot be in use by chance: the system would give both half the calls. */
async function assertUnused(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
