import { httpConnect } from "./http-connect.ts";
import type { Proxy } from "./proxy.ts";
import { socks5 } from "./socks5.ts";

/** The host that the proxy connects to. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/** The words with a proxy until it has connected to the target. Pure. */
export interface Handshake {
  readonly greeting: string | Uint8Array;
  read(bytes: Buffer): HandshakeStep;
}

export type HandshakeStep =
  | { readonly kind: "more" }
  | { readonly kind: "send"; readonly bytes: Uint8Array }
  | { readonly kind: "through" }
  | { readonly kind: "refused"; readonly reason: string };

/** A connection that is opened through a proxy. */
export interface Tunneller {
  readonly to: TunnelTarget & { readonly isSecure: boolean };
  /**
   * The socket to the proxy is open; the connection owns it from now on.
   * Returns false if the connection was given up.
   */
  onTunnel(socket: TunnelSocket): boolean;
  /**
   * From now on all bytes on the socket belong to the connection with the target. Without TLS, the
   * tunnel passes them on.
   */
  onTunnelled(socket: Bun.Socket<Tunnel>): void;
  onRefused(cause: unknown): void;
  onData(bytes: Buffer): void;
  onDrain(): void;
  onClose(isClean: boolean): void;
}

export type TunnelSocket = Pick<Bun.Socket, "terminate" | "remoteAddress">;

/** Opens a tunnel through a proxy. Rejects if the proxy is unreachable. */
export async function openTunnel(proxy: Proxy, tunneller: Tunneller): Promise<void> {
  const { kind, host, port, authorization, login } = proxy;
  const { to } = tunneller;
  const handshake = kind === "http" ? httpConnect(to, authorization) : socks5(to, login);
  await Bun.connect<Tunnel>({
    hostname: host,
    port,
    data: new Tunnel(tunneller, handshake),
    socket: HANDLERS,
  });
}

/** These handlers also receive the encrypted bytes of the tunnel, which they ignore. */
const HANDLERS: Bun.SocketHandler<Tunnel> = {
  open: (socket) => socket.data.onOpen(socket),
  data: (socket, bytes) => socket.data.onData(socket, bytes),
  drain: (socket) => socket.data.onDrain(),
  close: (socket, cause) => socket.data.onClose(cause === undefined),
  error: (socket) => socket.terminate(),
};

export class Tunnel {
  readonly #tunneller: Tunneller;
  readonly #handshake: Handshake;
  #isThrough = false;

  constructor(tunneller: Tunneller, handshake: Handshake) {
    this.#tunneller = tunneller;
    this.#handshake = handshake;
  }

  /** The connection speaks through this socket itself. */
  get #isPlain(): boolean {
    return this.#isThrough && !this.#tunneller.to.isSecure;
  }

  onOpen(socket: Bun.Socket<Tunnel>): void {
    if (this.#tunneller.onTunnel(socket)) socket.write(this.#handshake.greeting);
    else socket.terminate();
  }

  onData(socket: Bun.Socket<Tunnel>, bytes: Buffer): void {
    if (this.#isThrough) {
      if (this.#isPlain) this.#tunneller.onData(bytes);
      return;
    }
    const step = this.#handshake.read(bytes);
    if (step.kind === "send") socket.write(step.bytes);
    else if (step.kind === "through") {
      this.#isThrough = true;
      this.#tunneller.onTunnelled(socket);
    } else if (step.kind === "refused") {
      this.#tunneller.onRefused(new Error(step.reason));
      socket.terminate();
    }
  }

  onDrain(): void {
    if (this.#isPlain) this.#tunneller.onDrain();
  }

  onClose(isClean: boolean): void {
    if (!this.#isThrough) this.#tunneller.onRefused(new Error("The proxy closed the connection."));
    else if (this.#isPlain) this.#tunneller.onClose(isClean);
  }
}
