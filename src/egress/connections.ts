import type { Deadlines } from "#lib/deadlines.ts";

/** Who listens to a connection at the moment. */
export interface Listener {
  onData(bytes: Buffer): void;
  onClose(): void;
}

/** A TCP or TLS connection to an upstream. */
export interface Connection {
  /** It served another exchange before, so its server may have closed it in the meantime. */
  readonly isReused: boolean;
  /** Sends it all, as fast as the other side takes it. */
  write(text: string): void;
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

/**
 * Connections by pool. A pool belongs to one channel and one credential: what
 * one of them does to a connection can never reach another's calls.
 */
export class Connections {
  readonly #pools = new Map<string, PooledConnection[]>();
  readonly #deadlines: Deadlines;

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** An idle connection of the pool, the one used last, or undefined. */
  reuse(pool: string, listener: Listener): Connection | undefined {
    const idle = this.#pools.get(pool);
    const connection = idle?.pop();
    if (connection === undefined) return undefined;
    this.#deadlines.release(connection);
    connection.isReused = true;
    connection.listener = listener;
    connection.socket?.ref();
    return connection;
  }

  /** A new connection; rejects with what kept it from opening. */
  async open(pool: string, to: Destination, listener: Listener): Promise<Connection> {
    const connection = new PooledConnection((each) => this.#keep(pool, each), (each) => this.#forget(pool, each));
    connection.listener = listener;
    await Bun.connect({
      hostname: to.host,
      port: to.port,
      // Without a handshake handler it opens only once the certificate was found good.
      ...(to.isSecure ? { tls: { serverName: to.host, rejectUnauthorized: true } } : {}),
      socket: {
        open: (socket) => {
          socket.setNoDelay(true);
          connection.socket = socket;
        },
        data: (_socket, bytes) => connection.onData(bytes),
        drain: () => connection.onDrain(),
        close: () => connection.onClose(),
        error: (socket) => socket.terminate(),
      },
    });
    return connection;
  }

  /** Closes every idle connection. */
  close(): void {
    for (const idle of this.#pools.values()) for (const each of [...idle]) each.discard();
  }

  #keep(pool: string, connection: PooledConnection): void {
    let idle = this.#pools.get(pool);
    if (idle === undefined) this.#pools.set(pool, (idle = []));
    if (idle.length >= MAX_IDLE) {
      connection.discard();
      return;
    }
    connection.dueAt = this.#deadlines.now() + IDLE_MS;
    this.#deadlines.watch(connection);
    connection.socket?.unref();
    idle.push(connection);
  }

  #forget(pool: string, connection: PooledConnection): void {
    this.#deadlines.release(connection);
    const idle = this.#pools.get(pool);
    const at = idle?.indexOf(connection) ?? -1;
    if (at >= 0) idle?.splice(at, 1);
    if (idle?.length === 0) this.#pools.delete(pool);
  }
}

class PooledConnection implements Connection {
  isReused = false;
  socket: Bun.Socket | undefined;
  /** Undefined while idle: whatever comes then comes unasked. */
  listener: Listener | undefined;
  dueAt = Infinity;
  #unsent: Uint8Array | undefined;
  readonly #keep: (connection: PooledConnection) => void;
  readonly #forget: (connection: PooledConnection) => void;

  constructor(keep: (each: PooledConnection) => void, forget: (each: PooledConnection) => void) {
    this.#keep = keep;
    this.#forget = forget;
  }

  write(text: string): void {
    const written = this.socket?.write(text) ?? -1;
    if (written < 0 || written === Buffer.byteLength(text)) return;
    this.#unsent = Buffer.from(text).subarray(written);
  }

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  release(isReusable: boolean): void {
    this.listener = undefined;
    if (isReusable && this.#unsent === undefined && this.socket?.readyState === 1) this.#keep(this);
    else this.discard();
  }

  /** Cuts it: an answer that nobody wants any more ends at its sender, too. */
  discard(): void {
    this.listener = undefined;
    this.#forget(this);
    this.socket?.terminate();
  }

  onData(bytes: Buffer): void {
    if (this.listener === undefined) this.discard();
    else this.listener.onData(bytes);
  }

  onDrain(): void {
    if (this.#unsent === undefined) return;
    const written = this.socket?.write(this.#unsent) ?? -1;
    if (written < 0) return;
    this.#unsent = written === this.#unsent.length ? undefined : this.#unsent.subarray(written);
  }

  onClose(): void {
    const { listener } = this;
    this.listener = undefined;
    this.#forget(this);
    listener?.onClose();
  }

  /** Idle for too long. */
  onDue(): void {
    this.discard();
  }
}
