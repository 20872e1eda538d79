import type { Deadlines } from "#lib/deadlines.ts";
import { connect, type Connection } from "./connection.ts";
import type { Script } from "./scripts.ts";

export interface LinkOptions {
  /** URL of a Valkey or Redis server; `rediss://` is encrypted. */
  readonly url: string;
  readonly deadlines: Deadlines;
  /** Called when the server becomes unreachable; not repeated until it was reachable again. */
  onDown(cause: unknown): void;
  onUp(): void;
  /** Delay of the first reconnect; each further delay doubles. */
  readonly redialMs?: number;
}

const REDIAL_MS = 1_000;
const LAST_REDIAL_MS = 30_000;

/** The connection to the counter server, with reconnects. */
export class Link implements Disposable {
  readonly #options: LinkOptions;
  readonly #scripts: readonly Script[];
  #connection: Connection | undefined;
  #redial: ReturnType<typeof setTimeout> | undefined;
  #redialMs: number;
  #isToldDown = false;
  #isClosed = false;

  private constructor(options: LinkOptions, scripts: readonly Script[]) {
    this.#options = options;
    this.#scripts = scripts;
    this.#redialMs = options.redialMs ?? REDIAL_MS;
  }

  /** An unreachable server does not prevent the start. */
  static async open(options: LinkOptions, scripts: readonly Script[]): Promise<Link> {
    const link = new Link(options, scripts);
    await link.#dial();
    return link;
  }

  get isUp(): boolean {
    return this.#connection !== undefined;
  }

  /**
   * Undefined after a short time if the server does not answer: the caller then
   * decides without it.
   */
  async ask<T>(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    read: (reply: unknown) => T,
  ): Promise<T | undefined> {
    const connection = this.#connection;
    try {
      const reply = await connection?.run(script, keys, args);
      if (connection === undefined) return undefined;
      this.#redialMs = this.#options.redialMs ?? REDIAL_MS;
      return read(reply);
    } catch (cause) {
      this.#lost(connection, cause);
      return undefined;
    }
  }

  /** No caller waits for the answer: entries of a lost command expire on the server. */
  tell(script: Script, keys: readonly string[], args: readonly string[]): void {
    const connection = this.#connection;
    connection?.run(script, keys, args).catch((cause: unknown) => this.#lost(connection, cause));
  }

  /** Notices a lost server without a call; `isUp` shows it a little later. */
  probe(): void {
    const connection = this.#connection;
    connection?.ping().catch((cause: unknown) => this.#lost(connection, cause));
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#redial);
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #dial(): Promise<void> {
    const { url, deadlines, onUp } = this.#options;
    try {
      const connection = await connect(url, this.#scripts, deadlines);
      if (this.#isClosed) {
        connection.close();
        return;
      }
      this.#connection = connection;
      if (this.#isToldDown) onUp();
      this.#isToldDown = false;
    } catch (cause) {
      this.#down(cause);
    }
  }

  /** Many calls may notice the loss at once. */
  #lost(connection: Connection | undefined, cause: unknown): void {
    if (connection === undefined || this.#connection !== connection) return;
    this.#connection = undefined;
    connection.close();
    this.#down(cause);
  }

  #down(cause: unknown): void {
    if (this.#isClosed) return;
    if (!this.#isToldDown) this.#options.onDown(cause);
    this.#isToldDown = true;
    this.#redial = setTimeout(() => void this.#dial(), this.#redialMs);
    this.#redial.unref();
    this.#redialMs = Math.min(this.#redialMs * 2, LAST_REDIAL_MS);
  }
}
