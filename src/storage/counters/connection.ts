import type { Deadlines, Watched } from "#lib/deadlines.ts";
import type { Script } from "./scripts.ts";

/** The way to the server, while there is one. */
export interface Connection {
  /** Rejects when there is no answer in time, and whatever the server has against it. */
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  close(): void;
}

/**
 * How long a caller waits for the counters, and one more tick of the deadlines
 * after it; then the decision is made without them.
 */
const ANSWER_MS = 150;
const CONNECT_MS = 1_000;

/** Opens one connection, and knows the scripts there. Whoever wants another asks again. */
export async function connect(
  url: string,
  scripts: readonly Script[],
  deadlines: Deadlines,
): Promise<Connection> {
  // Commands that wait in line for a connection would hold up their callers.
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
        // Somebody made the server forget its scripts.
        if (!(cause instanceof Error) || !cause.message.startsWith("NOSCRIPT")) throw cause;
        return await send("EVAL", text, keys, args);
      }
    },
    close: () => client.close(),
  };
}

function within<T>(timeMs: number, answer: Promise<T>, deadlines: Deadlines): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let isLate = false;
  const watched: Watched = {
    dueAt: deadlines.now() + timeMs,
    onDue: () => {
      // Where this process was busy itself, the answer may have come without having been read.
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
      reject(cause instanceof Error ? cause : new Error("The server refused.", { cause }));
    },
  );
  return promise;
}
