import { openHttpReader } from "./http-reader.ts";

/**
 * The smallest proxy that sees what it passes on, as every gateway must: the
 * runtime's server on the caller's side, sockets on the upstream's, and each
 * byte in the hands of a script. Nobody is asked for a key, nothing is counted,
 * and nothing is written down. Its arguments are the upstream's port and its own.
 */
const [upstreamPort = 0, port = 0] = process.argv.slice(2).map(Number);

interface Asking {
  readonly head: (head: string) => void;
  readonly body: (bytes: Uint8Array) => void;
  readonly end: () => void;
}

interface Connection {
  asking: Asking | undefined;
  push(received: Buffer): void;
}

const idle: Bun.Socket<Connection>[] = [];

Bun.serve({
  hostname: "127.0.0.1",
  port,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const body = await request.text();
    const head = `POST ${pathname} HTTP/1.1\r\nHost: upstream\r\nContent-Type: application/json\r\n`;
    return await ask(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  },
});

function ask(question: string): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const over = Promise.withResolvers<void>();
  let pieces: Uint8Array[] = [];
  let sink: { write(bytes: Uint8Array): unknown } | undefined;
  let isStream = false;
  let type = "";

  const asking: Asking = {
    head(head) {
      type = /\r\ncontent-type: *([^\r]+)/i.exec(head)?.[1] ?? "";
      isStream = type.startsWith("text/event-stream");
      if (isStream) resolve(new Response(streamOf(), { headers: { "content-type": type } }));
    },
    body(bytes) {
      if (sink === undefined) pieces.push(bytes);
      else void sink.write(bytes);
    },
    end() {
      over.resolve();
      if (isStream) return;
      const [first = "", ...more] = pieces;
      const whole = more.length === 0 ? first : Buffer.concat(pieces);
      resolve(new Response(whole, { headers: { "content-type": type } }));
    },
  };
  void send(question, asking);
  return promise;

  function streamOf(): ReadableStream {
    return new ReadableStream({
      type: "direct",
      async pull(controller) {
        for (const piece of pieces) void controller.write(piece);
        pieces = [];
        sink = controller;
        await over.promise;
        controller.close();
      },
    } satisfies Bun.DirectUnderlyingSource<Uint8Array>);
  }
}

async function send(question: string, asking: Asking): Promise<void> {
  const known = idle.pop();
  if (known !== undefined) {
    known.data.asking = asking;
    known.write(question);
    return;
  }
  await Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port: upstreamPort,
    data: openConnection(),
    socket: {
      open(socket) {
        socket.data.asking = asking;
        socket.write(question);
      },
      data: (socket, received) => {
        socket.data.push(received);
        if (socket.data.asking === undefined) idle.push(socket);
      },
    },
  });
}

function openConnection(): Connection {
  const connection: Connection = {
    asking: undefined,
    push: openHttpReader({
      head: (head) => connection.asking?.head(head),
      body: (bytes, from, to) => connection.asking?.body(bytes.subarray(from, to)),
      end() {
        const { asking } = connection;
        connection.asking = undefined;
        asking?.end();
      },
    }),
  };
  return connection;
}
