import { isIP } from "node:net";
import type { ChannelProxy, Reach } from "#core/channel.ts";
import type { Deadlines } from "#lib/deadlines.ts";
import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { sizeOf, type Pieces } from "#lib/pieces.ts";
import { limitReceiveBuffer, unlimitReceiveBuffer } from "#lib/receive-buffer.ts";
import { proxyChooser, proxyOf, type Proxy, type ProxyRules } from "./proxy.ts";
import { isWithinReach } from "./reach.ts";
import { resolveAsSystem } from "./resolve-host.ts";
import { openTunnel, type Tunnel, type Tunneller, type TunnelSocket } from "./tunnel.ts";

/** The current user of a connection. */
export interface Listener {
  onData(bytes: Buffer): void;
  /** The open connection closed, either by the server or by an error. */
  onClose(isClean: boolean): void;
}

/** A TCP or TLS connection to an upstream. */
export interface Connection {
  /**
   * Resolves once the connection can be written to; rejects with the reason why
   * it did not open.
   */
  readonly opened: Promise<void>;
  /** Queues all bytes for sending. False if the connection is already closed. */
  write(bytes: string | Uint8Array): boolean;
  /** The same chunk by chunk; yields between chunks and waits until each is sent. */
  pour(pieces: Pieces): Promise<boolean>;
  pause(): void;
  resume(): void;
  /** Whether the kernel may buffer little only, so that each read is small. */
  limitReads(isLimited: boolean): void;
  /** Returns the connection to its pool, or closes it. */
  release(isReusable: boolean): void;
}

interface Destination {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

const MAX_IDLE = 256;
const IDLE_MS = 30_000;
/** An ALPN list of one protocol: a length and a name. */
const ONLY_HTTP1 = Buffer.from("\x08http/1.1");

/**
 * Connections by pool. A pool belongs to one channel and one credential, so
 * that calls of different channels or credentials never share a connection.
 */
export class Connections {
  readonly #pools = new Map<string, PooledConnection[]>();
  readonly #deadlines: Deadlines;
  readonly #proxyFor: ReturnType<typeof proxyChooser>;

  constructor(deadlines: Deadlines, proxy?: ProxyRules) {
    this.#deadlines = deadlines;
    this.#proxyFor = proxyChooser(proxy);
  }

  /** The most recently used idle connection of the pool, or undefined. */
  reuse(pool: string, to: Destination, listener: Listener): Connection | undefined {
    const idle = this.#pools.get(pool);
    for (let each = idle?.pop(); each !== undefined; each = idle?.pop()) {
      this.#deadlines.release(each);
      // The channel's URL may have changed, and the idle timer may be late.
      if (isSame(each.to, to) && this.#deadlines.now() < each.dueAt) {
        each.takeUp(listener);
        return each;
      }
      each.discard();
    }
    return undefined;
  }

  /** A new connection that is still opening. A caller that gives up must release it. */
  open(
    pool: string,
    to: Destination,
    listener: Listener,
    reach?: Reach,
    ofChannel?: ChannelProxy,
  ): Connection {
    const connection = new PooledConnection(this, pool, to, reach, listener);
    const proxy =
      ofChannel === undefined ? this.#proxyFor(to.host, to.port, to.isSecure) : proxyOf(ofChannel);
    connect(connection, proxy).catch((cause: unknown) => connection.onRefused(cause));
    return connection;
  }

  /** Closes the idle connections of a pool and of its sub-pools. */
  closePool(pool: string): void {
    for (const [name, idle] of this.#pools) {
      if (name !== pool && !name.startsWith(`${pool}/`)) continue;
      for (const each of idle.slice()) each.discard();
    }
  }

  /** Closes all idle connections. */
  close(): void {
    for (const each of [...this.#pools.values()].flat()) each.discard();
  }

  /** Adds a connection to the idle connections of its pool. */
  keep(connection: PooledConnection): void {
    const { pool } = connection;
    let idle = this.#pools.get(pool);
    if (idle === undefined) this.#pools.set(pool, (idle = []));
    if (idle.length >= MAX_IDLE) {
      connection.discard();
      return;
    }
    connection.dueAt = this.#deadlines.now() + IDLE_MS;
    this.#deadlines.watch(connection);
    idle.push(connection);
  }

  /** Removes a closed connection. */
  forget(connection: PooledConnection): void {
    const { pool } = connection;
    this.#deadlines.release(connection);
    const idle = this.#pools.get(pool);
    const at = idle?.indexOf(connection) ?? -1;
    if (at >= 0) idle?.splice(at, 1);
    if (idle?.length === 0) this.#pools.delete(pool);
  }
}

async function connect(connection: PooledConnection, proxy: Proxy | undefined): Promise<void> {
  if (proxy !== undefined) {
    if (proxy.isOfChannel === true) await connection.checkProxy(proxy.host);
    return connection.isClosed ? undefined : await openTunnel(proxy, connection);
  }
  const { host, port, isSecure } = connection.to;
  if (connection.reach !== undefined) await refuseOutOfReach(host, connection.reach);
  if (connection.isClosed) return;
  // `Bun.connect` resolves at the TCP connection, before TLS; only the handlers
  // know when the connection is usable.
  await Bun.connect<PooledConnection>({
    hostname: host,
    port,
    ...(isSecure && { tls: tlsTo(host) }),
    data: connection,
    socket: HANDLERS,
  });
}

/**
 * Checked before the connection, so that no one can probe internal addresses
 * through the gateway. The connected address is checked again, because a name
 * may resolve differently the next time.
 */
async function refuseOutOfReach(host: string, reach: Reach): Promise<void> {
  const addresses = isIP(host) === 0 ? await resolveAsSystem(host) : [host];
  if (addresses.some((each) => !isWithinReach(each, reach))) throw OUT_OF_REACH;
}

function tlsTo(host: string): Bun.TLSOptions {
  return {
    // SNI does not allow an IP address; the certificate must still be valid for it.
    serverName: isIP(host) === 0 ? host : "",
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect.
    rejectUnauthorized: true,
    ALPNProtocols: ONLY_HTTP1,
  };
}

/** Shared by all sockets: each socket's data is its connection. */
const HANDLERS: Bun.SocketHandler<PooledConnection> = {
  open: (socket) => socket.data.onConnect(socket),
  handshake: (socket, _isGood, cause) => socket.data.onHandshake(socket, cause),
  data: (socket, bytes) => socket.data.onData(bytes),
  drain: (socket) => socket.data.onDrain(),
  close: (socket, cause) => socket.data.onClose(cause === undefined),
  error: (socket) => socket.terminate(),
};

class PooledConnection implements Connection, Tunneller {
  readonly #owner: Connections;
  readonly pool: string;
  readonly to: Destination;
  readonly reach: Reach | undefined;
  /** Undefined while idle: bytes that arrive then are unexpected. */
  listener: Listener | undefined;
  dueAt = Infinity;
  slot: number | undefined;
  #socket: OpenSocket | undefined;
  /** The connection to the proxy, if there is one. */
  #tunnel: TunnelSocket | undefined;
  /** The proxy's address must be one that the channel may reach. */
  #checksProxy = false;
  #state: "opening" | "open" | "closed" = "opening";
  /** Bytes that the socket has not accepted yet, in order. */
  #unsent: Uint8Array[] = [];
  /** Resolves once all bytes are sent. */
  #emptied: PromiseWithResolvers<void> | undefined;
  #isPouring = false;
  #isLimited = false;
  /** Pending until the connection opens or fails. */
  #opening: PromiseWithResolvers<void> | undefined = Promise.withResolvers();

  constructor(
    owner: Connections,
    pool: string,
    to: Destination,
    reach: Reach | undefined,
    listener: Listener,
  ) {
    this.#owner = owner;
    this.pool = pool;
    this.to = to;
    this.reach = reach;
    this.listener = listener;
    // Suppresses the unhandled rejection if no caller waits any more.
    this.#opening?.promise.catch(() => {});
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  get opened(): Promise<void> {
    if (this.#opening !== undefined) return this.#opening.promise;
    return this.#state === "open" ? Promise.resolve() : Promise.reject(CLOSED);
  }

  write(bytes: string | Uint8Array): boolean {
    if (this.#unsent.length > 0) {
      this.#unsent.push(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
      return true;
    }
    const written = this.#state === "open" ? (this.#socket?.write(bytes) ?? -1) : -1;
    if (written < 0) return false;
    if (written < Buffer.byteLength(bytes)) {
      const all = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      this.#unsent.push(all.subarray(written));
    }
    return true;
  }

  async pour(pieces: Pieces): Promise<boolean> {
    this.#isPouring = true;
    for (const piece of pieces) {
      await yieldToEventLoop(sizeOf(piece));
      if (!this.write(piece)) return false;
      if (this.#unsent.length === 0) continue;
      this.#emptied = Promise.withResolvers();
      await this.#emptied.promise;
    }
    this.#isPouring = false;
    return true;
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  limitReads(isLimited: boolean): void {
    if (isLimited === this.#isLimited) return;
    const fd = this.#socket?.fd;
    if (isLimited) this.#isLimited = limitReceiveBuffer(fd);
    else {
      this.#isLimited = false;
      unlimitReceiveBuffer(fd);
    }
  }

  /** Assigns the connection to another exchange. */
  takeUp(listener: Listener): void {
    this.listener = listener;
    this.#socket?.ref();
  }

  release(isReusable: boolean): void {
    this.listener = undefined;
    const isSent = !this.#isPouring && this.#unsent.length === 0;
    if (isReusable && isSent && this.#socket?.readyState === 1) {
      this.#socket.unref();
      this.#owner.keep(this);
    } else {
      this.discard();
    }
  }

  /** Closes the socket at once, so that the server stops sending an unwanted response. */
  discard(): void {
    this.#end(GIVEN_UP);
    this.#socket?.terminate();
    this.#tunnel?.terminate();
  }

  /** Anyone who can name a proxy could otherwise probe internal addresses. */
  async checkProxy(host: string): Promise<void> {
    if (this.reach === undefined) return;
    this.#checksProxy = true;
    await refuseOutOfReach(host, this.reach);
  }

  onTunnel(socket: TunnelSocket): boolean {
    this.#tunnel = socket;
    const { reach } = this;
    if (this.#checksProxy && reach !== undefined && !isWithinReach(socket.remoteAddress, reach)) {
      this.#end(OUT_OF_REACH);
    }
    return this.#state === "opening";
  }

  onTunnelled(socket: Bun.Socket<Tunnel>): void {
    if (!this.to.isSecure) {
      this.onConnect(socket);
      return;
    }
    socket.upgradeTLS<PooledConnection>({
      data: this,
      tls: tlsTo(this.to.host),
      socket: HANDLERS,
    });
  }

  onConnect(socket: OpenSocket): void {
    this.#socket = socket;
    if (this.#state === "closed") {
      socket.terminate();
      return;
    }
    // Checks the connected address, because a name may resolve to any address,
    // and to another each time. Behind a proxy, only the proxy can check it.
    const isDirect = this.#tunnel === undefined;
    if (isDirect && this.reach !== undefined && !isWithinReach(socket.remoteAddress, this.reach)) {
      this.#end(OUT_OF_REACH);
      socket.terminate();
      return;
    }
    socket.setNoDelay(true);
    if (!this.to.isSecure) this.#open();
  }

  /** Writes nothing before the certificate is verified: the first bytes contain a credential. */
  onHandshake(socket: Bun.Socket<PooledConnection>, cause: Error | null): void {
    if (cause === null && socket.authorized) {
      this.#open();
      return;
    }
    if (this.#state === "opening") this.#end(cause ?? NOT_AUTHORIZED);
    socket.terminate();
  }

  /** The connection attempt failed. */
  onRefused(cause: unknown): void {
    if (this.#state === "opening") this.#end(cause);
  }

  onData(bytes: Buffer): void {
    if (this.listener === undefined || this.#state !== "open") this.discard();
    else this.listener.onData(bytes);
  }

  onDrain(): void {
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const written = this.#socket?.write(next) ?? -1;
      if (written < 0) return;
      if (written < next.length) {
        this.#unsent[0] = next.subarray(written);
        return;
      }
      this.#unsent.shift();
    }
    this.#emptied?.resolve();
  }

  onClose(isClean: boolean): void {
    const { listener } = this;
    const wasOpen = this.#state === "open";
    this.#end(CLOSED);
    if (wasOpen) listener?.onClose(isClean);
  }

  /** The idle time is over. */
  onDue(): void {
    this.discard();
  }

  #open(): void {
    if (this.#state !== "opening") return;
    this.#state = "open";
    this.#opening?.resolve();
    this.#opening = undefined;
  }

  #end(cause: unknown): void {
    this.#state = "closed";
    this.listener = undefined;
    this.#unsent = [];
    this.#emptied?.resolve();
    this.#owner.forget(this);
    this.#opening?.reject(cause);
    this.#opening = undefined;
  }
}

/** A socket to the upstream, or through a tunnel without TLS. */
type OpenSocket = Pick<
  Bun.Socket,
  | "write"
  | "pause"
  | "resume"
  | "ref"
  | "unref"
  | "terminate"
  | "readyState"
  | "remoteAddress"
  | "setNoDelay"
> & {
  /** The runtime has it, its types do not. */
  readonly fd?: number;
};

const GIVEN_UP = new Error("The connection was aborted.");
const CLOSED = new Error("The connection closed before it was open.");
const OUT_OF_REACH = new Error("The address is outside the channel's allowed networks.");
const NOT_AUTHORIZED = new Error("The certificate could not be verified.");

function isSame(one: Destination, other: Destination): boolean {
  if (one === other) return true;
  return one.host === other.host && one.port === other.port && one.isSecure === other.isSecure;
}
