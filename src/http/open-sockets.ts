import { GatewayError } from "#core/error.ts";

/** A WebSocket that the gateway can end as its client can. */
export interface OpenSocket {
  readonly keyId: number;
  end(reason: GatewayError): void;
  /** Closes once nothing is under way on it. */
  drain(): void;
}

/** The WebSockets that are open, by the keys they were opened with. */
export class OpenSockets {
  readonly #byKey = new Map<number, Set<OpenSocket>>();
  #isDraining = false;

  /** Whose sockets they are, each key once. */
  get keyIds(): readonly number[] {
    return [...this.#byKey.keys()];
  }

  countOf(keyId: number): number {
    return this.#byKey.get(keyId)?.size ?? 0;
  }

  /** Throws if the key has as many as it may have. */
  refuseMore(keyId: number, limit: number): void {
    if (this.#isDraining) throw new GatewayError("unavailable", "The gateway is shutting down.");
    if (this.countOf(keyId) < limit) return;
    throw new GatewayError(
      "rate_limited",
      `This API key has ${limit} WebSockets open, which is the limit. Close one, or use those that are open.`,
    );
  }

  enter(socket: OpenSocket): void {
    const sockets = this.#byKey.get(socket.keyId);
    if (sockets === undefined) this.#byKey.set(socket.keyId, new Set([socket]));
    else sockets.add(socket);
    if (this.#isDraining) socket.drain();
  }

  leave(socket: OpenSocket): void {
    const sockets = this.#byKey.get(socket.keyId);
    sockets?.delete(socket);
    if (sockets?.size === 0) this.#byKey.delete(socket.keyId);
  }

  endAllOf(keyId: number, reason: GatewayError): void {
    for (const socket of this.#byKey.get(keyId) ?? []) socket.end(reason);
  }

  /** From now on each closes when nothing is under way on it, and none is opened. */
  drain(): void {
    this.#isDraining = true;
    for (const sockets of this.#byKey.values()) {
      for (const socket of sockets) socket.drain();
    }
  }
}
