import { connect, createServer, type AddressInfo, type Socket } from "node:net";

interface TestProxy extends AsyncDisposable {
  readonly port: number;
  /** The targets that were asked for, in order: `host:port`. */
  readonly targets: readonly string[];
  /** The logins that came, `user:password`. */
  readonly logins: readonly string[];
}

/** An HTTP proxy (CONNECT) and a SOCKS5 proxy in one, which requires a login if it is given one. */
export async function openTestProxy(login?: string): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const targets: string[] = [];
  const logins: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    void serve(socket, { login, targets, logins });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    targets,
    logins,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Terms {
  readonly login: string | undefined;
  readonly targets: string[];
  readonly logins: string[];
}

async function serve(socket: Socket, terms: Terms): Promise<void> {
  const first = await next(socket);
  if (first[0] === 5) await serveSocks(socket, first, terms);
  else serveHttp(socket, first.toString("latin1"), terms);
}

function serveHttp(socket: Socket, head: string, { login, targets, logins }: Terms): void {
  const [, host = "", port = ""] = /^CONNECT (.+):(\d+) /.exec(head) ?? [];
  const [, given = ""] = /Proxy-Authorization: Basic (\S+)/.exec(head) ?? [];
  const said = Buffer.from(given, "base64").toString();
  if (said !== "") logins.push(said);
  if (login !== undefined && said !== login) {
    socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    return;
  }
  targets.push(`${host}:${port}`);
  join(socket, Number(port), () => socket.write("HTTP/1.1 200 Connection established\r\n\r\n"));
}

async function serveSocks(socket: Socket, first: Buffer, terms: Terms): Promise<void> {
  const { login, targets, logins } = terms;
  if (login !== undefined) {
    const mayLogIn = first.subarray(2).includes(2);
    socket.write(Buffer.from([5, mayLogIn ? 2 : 0xff]));
    if (!mayLogIn) return;
    const message = await next(socket);
    const nameLength = message[1] ?? 0;
    const [name, password] = [
      message.subarray(2, 2 + nameLength),
      message.subarray(3 + nameLength),
    ];
    const said = `${name.toString()}:${password.toString()}`;
    logins.push(said);
    socket.write(Buffer.from([1, said === login ? 0 : 1]));
    if (said !== login) return;
  } else socket.write(Buffer.from([5, 0]));
  const asked = await next(socket);
  const port = asked.readUInt16BE(asked.length - 2);
  const host =
    asked[3] === 3
      ? asked.subarray(5, asked.length - 2).toString()
      : asked.subarray(4, asked.length - 2).join(".");
  targets.push(`${host}:${port}`);
  join(socket, port, () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])));
}

function next(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => void socket.once("data", resolve));
}

/** Every name leads to this machine. */
function join(socket: Socket, port: number, onOpen: () => void): void {
  const onward = connect(port, "127.0.0.1", () => {
    onOpen();
    socket.pipe(onward).pipe(socket);
  });
  onward.on("error", () => socket.destroy());
  socket.on("close", () => onward.destroy());
}
