import { isIP } from "node:net";
import type { Reach } from "#core/channel.ts";
import type { Deadlines } from "#lib/deadlines.ts";
import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { sizeOf, type Pieces } from "#lib/pieces.ts";
import { proxyChooser, type Proxy, type ProxyRules } from "./proxy.ts";
import { isWithinReach } from "./reach.ts";
import { resolveAsSystem } from "./resolve-host.ts";
import { openTunnel, type Tunnel, type Tunneller } from "./tunnel.ts";

/** Who listens to a connection at the moment. */
export interface Listener {
  onData(bytes: Buffer): void;
  /** It was open, and is no more: by its server's will, or cut off. */
  onClose(isClean: boolean): void;
}

/** A TCP or TLS connection to an upstream. */
export interface Connection {
  /** Kept once it may be written to; rejects with what kept it from opening. */
  readonly opened: Promise<void>;
  /** Sends it all, as fast as the other side takes it. False where it is closed already. */
  write(bytes: string | Uint8Array): boolean;
  /** The same piece by piece, each once the one before was taken and others had their turn. */
  pour(pieces: Pieces): Promise<boolean>;
  pause(): void;
  resume(): void;
  /** Lets another exchange of the same pool have it, or closes it. */
  release(isReusable: boolean): void;
}

export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

const MAX_IDLE = 256;
const IDLE_MS = 30_000;
/** A list of one protocol, as TLS writes it: a length and a name. */
const ONLY_HTTP1 = Buffer.from("\x08http/1.1");

/**
 * Connections by pool. A pool belongs to one channel and one credential: what
 * one of them does to a connection can never reach another's calls.
 */
export class Connections {
  readonly #pools = new Map<string, PooledConnection[]>();
  readonly #deadlines: Deadlines;
  readonly #proxyFor: ReturnType<typeof proxyChooser>;

  constructor(deadlines: Deadlines, proxy?: ProxyRules) {
    this.#deadlines = deadlines;
    this.#proxyFor = proxyChooser(proxy);
  }

  /** An idle connection of the pool, the one used last, or undefined. */
  reuse(pool: string, to: Destination, listener: Listener): Connection | undefined {
    const idle = this.#pools.get(pool);
    for (let each = idle?.pop(); each !== undefined; each = idle?.pop()) {
      this.#deadlines.release(each);
      // A channel may have been given another URL, and the timer may be late.
      if (isSame(each.to, to) && this.#deadlines.now() < each.dueAt) {
        each.takeUp(listener);
        return each;
      }
      each.discard();
    }
    return undefined;
  }

  /** A new connection, which opens while it is held already: whoever gives up on it releases it. */
  open(pool: string, to: Destination, listener: Listener, reach?: Reach): Connection {
    const connection = new PooledConnection(this, pool, to, reach, listener);
    const proxy = this.#proxyFor(to.host, to.port, to.isSecure);
    connect(connection, proxy).catch((cause: unknown) => connection.onRefused(cause));
    return connection;
  }

  /** Closes the idle connections of a pool, and of those named below it. */
  closePool(pool: string): void {
    for (const [name, idle] of this.#pools) {
      if (name !== pool && !name.startsWith(`${pool}/`)) continue;
      for (const each of idle.slice()) each.discard();
    }
  }

  /** Closes every idle connection. */
  close(): void {
    for (const each of [...this.#pools.values()].flat()) each.discard();
  }

  /** For a connection of its own that nobody needs now. */
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

  /** For a connection of its own that is no more. */
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
  if (proxy !== undefined) return await openTunnel(proxy, connection);
  const { host, port, isSecure } = connection.to;
  if (connection.reach !== undefined) await refuseOutOfReach(host, connection.reach);
  if (connection.isClosed) return;
  // It resolves as soon as there is a TCP connection, so only the handlers know when it may be used.
  await Bun.connect<PooledConnection>({
    hostname: host,
    port,
    ...(isSecure && { tls: tlsTo(host) }),
    data: connection,
    socket: HANDLERS,
  });
}

/**
 * Before anything is connected to, so that nobody can have the gateway knock at
 * an address inside. What is reached is judged again: a name may lead elsewhere
 * the next time.
 */
async function refuseOutOfReach(host: string, reach: Reach): Promise<void> {
  const addresses = isIP(host) === 0 ? await resolveAsSystem(host) : [host];
  if (addresses.some((each) => !isWithinReach(each, reach))) throw OUT_OF_REACH;
}

function tlsTo(host: string): Bun.TLSOptions {
  return {
    // An address is no name to ask for; the certificate must hold it all the same.
    serverName: isIP(host) === 0 ? host : "",
    // Not even NODE_TLS_REJECT_UNAUTHORIZED=0 opens this.
    rejectUnauthorized: true,
    ALPNProtocols: ONLY_HTTP1,
  };
}

/** The same for all of them: each socket carries its own connection. */
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
  /** Undefined while idle: whatever comes then comes unasked. */
  listener: Listener | undefined;
  dueAt = Infinity;
  #socket: Bun.Socket<PooledConnection> | undefined;
  /** To the proxy, where there is one. */
  #tunnel: Pick<Bun.Socket, "terminate"> | undefined;
  #state: "opening" | "open" | "closed" = "opening";
  /** What the other side has not taken yet, in its order. */
  #unsent: Uint8Array[] = [];
  /** Kept once there is nothing unsent. */
  #emptied: PromiseWithResolvers<void> | undefined;
  #isPouring = false;
  /** Until it has opened, or will not. */
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
    // Told to whoever waits for it; where nobody does any more, nobody needs it.
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

  /** For another exchange. */
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

  /** Cuts it: an answer that nobody wants any more ends at its sender, too. */
  discard(): void {
    this.#end(GIVEN_UP);
    this.#socket?.terminate();
    this.#tunnel?.terminate();
  }

  onTunnel(socket: Pick<Bun.Socket, "terminate">): boolean {
    this.#tunnel = socket;
    return this.#state === "opening";
  }

  onTunnelled(socket: Bun.Socket<Tunnel>): void {
    socket.upgradeTLS<PooledConnection>({
      data: this,
      tls: tlsTo(this.to.host),
      socket: HANDLERS,
    });
  }

  onConnect(socket: Bun.Socket<PooledConnection>): void {
    this.#socket = socket;
    if (this.#state === "closed") {
      socket.terminate();
      return;
    }
    // By the address that was reached, since a name may lead anywhere, and elsewhere each time.
    // Where it leads behind a proxy, only the proxy can judge.
    const isDirect = this.#tunnel === undefined;
    if (isDirect && this.reach !== undefined && !isWithinReach(socket.remoteAddress, this.reach)) {
      this.#end(OUT_OF_REACH);
      socket.terminate();
      return;
    }
    socket.setNoDelay(true);
    if (!this.to.isSecure) this.#open();
  }

  /** Nothing is written before the certificate was found good: the first thing to be written is a credential. */
  onHandshake(socket: Bun.Socket<PooledConnection>, cause: Error | null): void {
    if (cause === null && socket.authorized) {
      this.#open();
      return;
    }
    if (this.#state === "opening") this.#end(cause ?? NOT_AUTHORIZED);
    socket.terminate();
  }

  /** It never connected. */
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

  /** Idle for too long. */
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

const GIVEN_UP = new Error("The connection was given up.");
const CLOSED = new Error("The connection closed before it was open.");
const OUT_OF_REACH = new Error("The address is not one that this channel may lead to.");
const NOT_AUTHORIZED = new Error("The certificate was not found good.");

function isSame(one: Destination, other: Destination): boolean {
  if (one === other) return true;
  return one.host === other.host && one.port === other.port && one.isSecure === other.isSecure;
}
