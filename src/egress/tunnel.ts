import type { Proxy } from "./proxy.ts";

/** A connection that is opened through a proxy. */
export interface Tunneller {
  readonly to: { readonly host: string; readonly port: number };
  /**
   * The socket to the proxy is open; the connection owns it from now on.
   * Returns false if the connection was given up.
   */
  onTunnel(socket: Pick<Bun.Socket, "terminate">): boolean;
  /** From now on all bytes on the socket belong to the connection with the target. */
  onTunnelled(socket: Bun.Socket<Tunnel>): void;
  onRefused(cause: unknown): void;
}

const MAX_HEAD_CHARS = 16 * 1024;
const END_OF_HEAD = "\r\n\r\n";
const SUCCESS = /^HTTP\/1\.[01] 2\d\d\b/;
const STATUS = /^HTTP\/1\.[01] (\d{3})\b/;

/**
 * Opens a tunnel through an HTTP proxy (CONNECT, RFC 9110 section 9.3.6).
 * Rejects if the proxy is unreachable.
 */
export async function openTunnel(
  { host, port, authorization }: Proxy,
  tunneller: Tunneller,
): Promise<void> {
  await Bun.connect<Tunnel>({
    hostname: host,
    port,
    data: new Tunnel(tunneller, authorization),
    socket: HANDLERS,
  });
}

/** These handlers also receive the encrypted bytes of the tunnel, which they ignore. */
const HANDLERS: Bun.SocketHandler<Tunnel> = {
  open: (socket) => socket.data.onOpen(socket),
  data: (socket, bytes) => socket.data.onData(socket, bytes),
  close: (socket) => socket.data.onClose(),
  error: (socket) => socket.terminate(),
};

export class Tunnel {
  readonly #tunneller: Tunneller;
  readonly #authorization: string | undefined;
  #head = "";
  #isThrough = false;

  constructor(tunneller: Tunneller, authorization: string | undefined) {
    this.#tunneller = tunneller;
    this.#authorization = authorization;
  }

  onOpen(socket: Bun.Socket<Tunnel>): void {
    if (!this.#tunneller.onTunnel(socket)) {
      socket.terminate();
      return;
    }
    const { host, port } = this.#tunneller.to;
    const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const login =
      this.#authorization === undefined ? "" : `Proxy-Authorization: ${this.#authorization}\r\n`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`);
  }

  onData(socket: Bun.Socket<Tunnel>, bytes: Buffer): void {
    if (this.#isThrough) return;
    this.#head += bytes.toString("latin1");
    const end = this.#head.indexOf(END_OF_HEAD);
    if (end < 0 && this.#head.length <= MAX_HEAD_CHARS) return;
    const reason = refusalReason(this.#head, end);
    if (reason === undefined) {
      this.#isThrough = true;
      this.#head = "";
      this.#tunneller.onTunnelled(socket);
    } else {
      this.#tunneller.onRefused(new Error(reason));
      socket.terminate();
    }
  }

  onClose(): void {
    if (!this.#isThrough) this.#tunneller.onRefused(new Error("The proxy closed the connection."));
  }
}

function refusalReason(head: string, end: number): string | undefined {
  if (end < 0) return "The proxy's response is too long.";
  if (!SUCCESS.test(head)) {
    const [, status] = STATUS.exec(head) ?? [];
    return status === undefined
      ? "The proxy's response is not HTTP."
      : `The proxy returned status ${status}.`;
  }
  // The target never sends first; extra bytes would be mistaken for the target's.
  return head.length > end + END_OF_HEAD.length
    ? "The proxy sent bytes after its response."
    : undefined;
}
