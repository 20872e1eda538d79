import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

interface Injuring extends AsyncDisposable {
  readonly url: string;
  /** How often each injury was done. */
  readonly done: Readonly<Record<string, number>>;
  /** Connections that callers hold open. */
  readonly connections: number;
}

type Injury = (question: IncomingMessage, answer: ServerResponse) => void;

const HUNDREDTHS = 100;
const SLOW_MS = 150;
/** About as long as a streamed answer of the simulator. */
const CUT_WITHIN_BYTES = 3_000;

/** Each is done to so many of a hundred requests. */
const INJURIES: readonly (readonly [name: string, hundredths: number, injury: Injury])[] = [
  ["a failure", 6, says(500, `{"error":{"message":"Oh."}}`)],
  ["too many", 3, says(429, `{"error":{"message":"Slow."}}`, { "retry-after": "0" })],
  ["a refusal", 2, says(400, `{"error":{"message":"No.","type":"invalid_request_error"}}`)],
  ["no answer", 3, ({ socket }) => socket.destroy()],
  ["half of an object", 2, says(200, `{"a": [1,`)],
  ["nothing", 2, says(200, "")],
  ["another shape", 2, says(200, "[]")],
  ["a detour", 2, says(302, "", { location: "http://127.0.0.1/" })],
  ["unasked compression", 1, says(200, "{}", { "content-encoding": "gzip" })],
  [
    "two lengths",
    2,
    saysRaw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}."),
  ],
  ["an answer before the question", 2, (_question, answer) => void answer.end("{}")],
];

/** An upstream that passes most requests on, and does something bad to the others, as chance has it. */
export async function openInjuring(upstream: string, random: () => number): Promise<Injuring> {
  const connections = new Set<Socket>();
  const done: Record<string, number> = {};
  const note = (name: string): void => void (done[name] = (done[name] ?? 0) + 1);
  const server = createServer({ keepAliveTimeout: 600_000 }, (question, answer) => {
    for (const each of [question, answer]) each.on("error", () => {});
    let chance = random() * HUNDREDTHS;
    for (const [name, hundredths, injury] of INJURIES) {
      chance -= hundredths;
      if (chance > 0) continue;
      note(name);
      injury(question, answer);
      return;
    }
    const isCut = random() < 0.1;
    const isSlow = random() < 0.1;
    if (isCut) note("a cut");
    if (isSlow) note("a pause");
    passOn(upstream, question, answer, {
      cutAfter: isCut ? random() * CUT_WITHIN_BYTES : Infinity,
      waitMs: isSlow ? SLOW_MS : 0,
    });
  });
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    done,
    get connections() {
      return connections.size;
    },
    async [Symbol.asyncDispose]() {
      for (const each of connections) each.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function says(status: number, body: string, headers: Record<string, string> = {}): Injury {
  return (question, answer) => {
    question.resume();
    question.on("end", () => {
      answer.writeHead(status, { "content-type": "application/json", ...headers });
      answer.end(body);
    });
  };
}

function saysRaw(bytes: string): Injury {
  return (question) => {
    question.resume();
    question.on("end", () => question.socket.write(bytes));
  };
}

function passOn(
  upstream: string,
  question: IncomingMessage,
  answer: ServerResponse,
  { cutAfter, waitMs }: { readonly cutAfter: number; readonly waitMs: number },
): void {
  const { method, headers } = question;
  const asking = request(upstream + question.url, { method, headers }, async (reply) => {
    await Bun.sleep(waitMs);
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    let passedBytes = 0;
    reply.on("data", (piece: Uint8Array) => {
      passedBytes += piece.length;
      answer.write(piece);
      if (passedBytes > cutAfter) question.socket.destroy();
    });
    reply.on("end", () => answer.end());
  });
  asking.on("error", () => answer.destroy());
  answer.on("close", () => asking.destroy());
  question.pipe(asking);
}
