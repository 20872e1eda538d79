import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { faultQueue, type FaultOrder, type FaultQueue } from "./faults/fault-queue.ts";
import { answerControl, CONTROL_PATH } from "./control.ts";
import { decide } from "./decide.ts";
import { callbackSender, type CallbackAttempt } from "./engine/callbacks.ts";
import {
  liveTaskSettings,
  type LiveTaskSettings,
  type TaskSettings,
} from "./engine/task-settings.ts";
import { receive } from "./receive.ts";
import { requestLog, type RequestLog, type RequestRecord } from "./request-log.ts";
import type { Vendor } from "./vendor.ts";
import { VENDORS } from "./vendors.ts";
import { replyChunks } from "./wire/chunks.ts";
import { deliver } from "./wire/deliver.ts";

/** Simulated vendors on one port, each under its own prefix: `/openai/v1/...` and so on. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { hostname = "127.0.0.1", port = 0, apiKeys, now = Date.now } = options;
  const tasks = liveTaskSettings(options.tasks ?? {});
  const callbacks = callbackSender(now, tasks);
  const simulator: House = {
    log: requestLog(now),
    queue: faultQueue(),
    tasks,
    vendors: VENDORS.map((create) =>
      create({ now, tasks, callbacks, ...(apiKeys === undefined ? {} : { apiKeys }) }),
    ),
    isStopping: false,
  };

  // Slow and silent answers are the point of a sandbox, so no timer ends them.
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 120_000 },
    (request, response) => {
      answer(request, response, simulator).catch((cause: unknown) => {
        response.destroy(
          cause instanceof Error ? cause : new Error("The answer failed.", { cause }),
        );
      });
    },
  );
  server.timeout = 0;

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;

  async function stop(): Promise<void> {
    simulator.isStopping = true;
    callbacks[Symbol.dispose]();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    url: `http://${host}:${bound}`,
    port: bound,
    requests: simulator.log.records,
    faults: simulator.queue,
    tasks,
    callbacks: callbacks.attempts,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

export interface SandboxOptions {
  /** 0, a free one, unless told. */
  readonly port?: number;
  readonly hostname?: string;
  /** The only credentials the vendors accept; any when absent. */
  readonly apiKeys?: readonly string[];
  readonly now?: () => number;
  /** How tasks run, where not as usual. */
  readonly tasks?: Partial<TaskSettings>;
}

export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The last requests, oldest first: what arrived, and what of the answer was really delivered. */
  readonly requests: readonly RequestRecord[];
  /** Faults for requests to come. */
  readonly faults: Pick<FaultQueue, "add" | "clear">;
  /** How tasks run, which can be changed. */
  readonly tasks: LiveTaskSettings;
  /** The last callbacks that were sent, oldest first. */
  readonly callbacks: readonly CallbackAttempt[];
  stop(): Promise<void>;
}

export type { FaultOrder, RequestRecord };

interface House {
  readonly log: RequestLog;
  readonly queue: FaultQueue;
  readonly tasks: LiveTaskSettings;
  readonly vendors: readonly Vendor[];
  isStopping: boolean;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  simulator: House,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const received = await receive(request);
  if (received === undefined) {
    response.writeHead(413, { connection: "close" }).end();
    return;
  }
  if (received.path.startsWith(CONTROL_PATH)) {
    const { status, body } = answerControl(received, simulator);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
    return;
  }

  const { reply, faults, ...decision } = await decide(received, simulator);
  const { form, ...kept } = received;
  const body = form?.texts ?? kept.body;
  const record = simulator.log.open({ ...kept, body, faults: Object.keys(faults) });
  const close = () => record.close(simulator.isStopping ? "cut" : "aborted");
  // Whoever hung up while the answer was being made is not heard of any more.
  if (gone.signal.aborted) close();
  else response.once("close", close);

  try {
    const chunks = replyChunks(reply, faults, () => decision.errorFrames());
    await deliver(reply, chunks, faults, { response, record, gone: gone.signal });
  } finally {
    // Nothing is left half answered, whatever went wrong above.
    if (!response.writableEnded) response.destroy();
  }
}
