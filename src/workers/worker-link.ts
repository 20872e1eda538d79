import type { SupervisorMessage, WorkerMessage } from "./messages.ts";

/** Set by the supervisor for its workers alone. */
export const WORKER_VARIABLE = "SLUICE_SUPERVISED";
const SUM_MS = 3_000;

/** A worker's connection to its supervisor. */
export interface WorkerLink {
  /** Resolves if another worker has taken this one's place. */
  readonly retired: Promise<void>;
  ready(url: string, greeting: string): void;
  /** Adds the metrics of the other workers to its own. */
  sumMetrics(own: string): Promise<string>;
  /** Hands over the last metrics of this worker. */
  end(own: string): Promise<void>;
}

/** The connection, if a supervisor started this process. */
export function openWorkerLink(
  env: Readonly<Record<string, string | undefined>>,
  renderMetrics: () => string,
): WorkerLink | undefined {
  if (env[WORKER_VARIABLE] === undefined || process.send === undefined) return undefined;
  const retired = Promise.withResolvers<void>();
  const sums = new Map<number, (text: string) => void>();
  let lastId = 0;
  process.on("message", (message: SupervisorMessage) => {
    if (message.type === "report") send({ type: "metrics", id: message.id, text: renderMetrics() });
    else if (message.type === "sum") sums.get(message.id)?.(message.text);
    else retired.resolve();
  });
  // The supervisor alone restarts workers.
  process.on("SIGHUP", () => {});
  return {
    retired: retired.promise,
    ready: (url, greeting) => send({ type: "ready", url, greeting }),
    async sumMetrics(own) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const id = ++lastId;
      const late = setTimeout(() => reject(new Error("The supervisor did not reply.")), SUM_MS);
      sums.set(id, resolve);
      send({ type: "sum", id, text: own });
      try {
        return await promise;
      } finally {
        clearTimeout(late);
        sums.delete(id);
      }
    },
    async end(own) {
      if (!process.connected) return;
      await new Promise<void>((resolve) => {
        process.send?.({ type: "metrics", id: 0, text: own }, () => resolve());
      });
      process.disconnect?.();
    },
  };
}

function send(message: WorkerMessage): void {
  // The supervisor may be gone; this process notices that elsewhere.
  if (process.connected) process.send?.(message, () => {});
}
