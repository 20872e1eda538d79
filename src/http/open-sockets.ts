import { GatewayError } from "#core/error.ts";

/** A WebSocket that the gateway can close, as the client can. */
export interface OpenSocket {
  readonly keyId: number;
  end(reason: GatewayError): void;
  /** Closes when no response is running. */
  drain(): void;
}

/** The open WebSockets, by key. */
export class OpenSockets {
  readonly #byKey = new Map<number, Set<OpenSocket>>();
  #isDraining = false;

  /** Ids of the keys that have open sockets, each once. */
  get keyIds(): readonly number[] {
    return [...this.#byKey.keys()];
  }

  countOf(keyId: number): number {
    return this.#byKey.get(keyId)?.size ?? 0;
  }

  /** Throws if the key has reached its limit. */
  refuseMore(keyId: number, limit: number): void {
    if (this.#isDraining) throw new GatewayError("unavailable", "The gateway is shutting down.");
    if (this.countOf(keyId) < limit) return;
    throw new GatewayError(
      "rate_limited",
      `This API key has reached its limit of ${limit} WebSockets. Close one or use an open one.`,
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

  /** From now on, each closes when no response is running, and new ones are refused. */
  drain(): void {
    this.#isDraining = true;
    for (const sockets of this.#byKey.values()) {
      for (const socket of sockets) socket.drain();
    }
  }
}
