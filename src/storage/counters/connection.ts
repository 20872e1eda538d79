import type { Deadlines, Watched } from "#lib/deadlines.ts";
import type { Script } from "./scripts.ts";

/** An open connection to the server. */
export interface Connection {
  /** Rejects if the answer is late or the server returns an error. */
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** Rejects if the answer is late. */
  ping(): Promise<unknown>;
  close(): void;
}

/**
 * How long a call waits for the counters, plus one tick of the deadline timer;
 * then the gateway decides without them.
 */
const ANSWER_MS = 150;
const CONNECT_MS = 1_000;

/** Opens one connection and loads the scripts. It never reconnects by itself. */
export async function connect(
  url: string,
  scripts: readonly Script[],
  deadlines: Deadlines,
): Promise<Connection> {
  // Queued commands without a connection would delay their callers.
  const client = new Bun.RedisClient(url, {
    connectionTimeout: CONNECT_MS,
    autoReconnect: false,
    enableOfflineQueue: false,
  });
  try {
    await within(CONNECT_MS, client.connect(), deadlines);
    for (const { text } of scripts) {
      await within(CONNECT_MS, client.send("SCRIPT", ["LOAD", text]), deadlines);
    }
  } catch (cause) {
    client.close();
    throw cause;
  }
  const send = (command: string, what: string, keys: readonly string[], args: readonly string[]) =>
    within<unknown>(
      ANSWER_MS,
      client.send(command, [what, String(keys.length), ...keys, ...args]),
      deadlines,
    );
  return {
    async run({ text, sha1 }, keys, args) {
      try {
        return await send("EVALSHA", sha1, keys, args);
      } catch (cause) {
        // The server's script cache was flushed.
        if (!(cause instanceof Error) || !cause.message.startsWith("NOSCRIPT")) throw cause;
        return await send("EVAL", text, keys, args);
      }
    },
    ping: () => within<unknown>(ANSWER_MS, client.send("PING", []), deadlines),
    close: () => client.close(),
  };
}

function within<T>(timeMs: number, answer: Promise<T>, deadlines: Deadlines): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let isLate = false;
  const watched: Watched = {
    dueAt: deadlines.now() + timeMs,
    onDue: () => {
      // If this process was busy, the answer may have arrived without being read.
      if (!isLate) {
        isLate = true;
        return;
      }
      deadlines.release(watched);
      reject(new Error(`No answer within ${timeMs} ms.`));
    },
  };
  deadlines.watch(watched);
  answer.then(
    (value) => {
      deadlines.release(watched);
      resolve(value);
    },
    (cause: unknown) => {
      deadlines.release(watched);
      reject(
        cause instanceof Error
          ? cause
          : new Error("The counter server returned an error.", { cause }),
      );
    },
  );
  return promise;
}
