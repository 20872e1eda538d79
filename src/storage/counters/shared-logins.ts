import { nameOf, networkOf, tooManyTries, type LoginLimiter } from "#core/login-limits.ts";
import { Link, type LinkOptions } from "./link.ts";
import { loginScriptsOn, type LoginScripts } from "./login-scripts.ts";

export interface SharedLoginsOptions extends LinkOptions {
  /** Counts while the server is unreachable. */
  readonly local: LoginLimiter;
  /** Prefix of all keys, from `prefixOf`. */
  readonly prefix: string;
  /** Hides names and addresses from users of the server. */
  digest(name: string): string;
  readonly scripts?: LoginScripts;
}

/**
 * The login limiter on a server that several gateways share; without the server
 * this process counts.
 */
export class SharedLogins implements LoginLimiter, Disposable {
  readonly #options: SharedLoginsOptions;
  readonly #scripts: LoginScripts;
  readonly #link: Link;

  private constructor(options: SharedLoginsOptions, scripts: LoginScripts, link: Link) {
    this.#options = options;
    this.#scripts = scripts;
    this.#link = link;
  }

  /** An unreachable server does not prevent the start. */
  static async open(options: SharedLoginsOptions): Promise<SharedLogins> {
    const scripts = options.scripts ?? loginScriptsOn();
    return new SharedLogins(options, scripts, await Link.open(options, Object.values(scripts)));
  }

  /** True while the server counts. */
  get isShared(): boolean {
    return this.#link.isUp;
  }

  async enter(login: string, address: string | undefined): Promise<void> {
    const keys = this.#keysOf(login, address);
    const waitMs = await this.#link.ask(this.#scripts.enter, keys, [], readWait);
    if (waitMs === undefined) return await this.#options.local.enter(login, address);
    if (waitMs > 0) throw tooManyTries(waitMs);
  }

  /** Resets both counters, because either may have counted the attempt. */
  succeeded(login: string, address: string | undefined): void {
    this.#options.local.succeeded(login, address);
    this.#link.tell(this.#scripts.succeeded, this.#keysOf(login, address), []);
  }

  [Symbol.dispose](): void {
    this.#link[Symbol.dispose]();
  }

  #keysOf(login: string, address: string | undefined): readonly string[] {
    const { prefix, digest } = this.#options;
    const from = networkOf(address);
    // Braces keep all keys in one slot of a cluster.
    return [
      `${prefix}{logins}:${digest(`tries ${nameOf(login, from)}`)}`,
      `${prefix}{logins}:${digest(`address ${from}`)}`,
    ];
  }
}

function readWait(reply: unknown): number {
  const waitMs = typeof reply === "string" ? Number(reply) : Number.NaN;
  if (Number.isNaN(waitMs)) throw new Error("The counter server returned an unexpected reply.");
  return waitMs;
}
