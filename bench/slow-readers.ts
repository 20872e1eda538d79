import { requestBody } from "./payload.ts";

/**
 * Clients that ask for an endless stream and read a piece of it now and then, a
 * process of its own. Its argument is a plan; it prints `reading` once each
 * client has got its first piece, and lives until its standard input ends.
 */
export interface SlowReadersPlan {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly readers: number;
  /** Time between two pieces that a client reads. */
  readonly everyMs: number;
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));

async function main(plan: SlowReadersPlan): Promise<void> {
  const begun = Array.from({ length: plan.readers }, () => readSlowly(plan));
  const statuses = await Promise.all(begun);
  const refused = statuses.filter((status) => status !== 200);
  process.stdout.write(refused.length === 0 ? "reading\n" : `refused ${refused.join(" ")}\n`);
  process.stdin.on("end", () => process.exit(0)).resume();
}

/** Resolves with the status once the first piece has come. */
function readSlowly({ port, headers, everyMs }: SlowReadersPlan): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => void socket.write(requestText(port, headers)),
      data(socket, received) {
        resolve(Number(received.toString("latin1", 9, 12)));
        socket.pause();
        setTimeout(() => socket.resume(), everyMs);
      },
      close: () => reject(new Error("A slow reader was cut off.")),
      connectError: (_, error) => reject(error),
    },
  }).catch(() => undefined);
  return promise;
}

function requestText(port: number, headers: Readonly<Record<string, string>>): string {
  const body = requestBody({ kind: "endless", variant: 0, paceMs: 0 });
  const all = {
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/chat/completions HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
