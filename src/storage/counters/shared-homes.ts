import { HOME_MS, type ReasoningHome, type ReasoningHomes } from "#core/reasoning-home.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { Link, type LinkOptions } from "./link.ts";
import { script } from "./scripts.ts";

export interface SharedHomesOptions extends LinkOptions {
  /** Stores as well, and answers alone while the server is unreachable. */
  readonly local: ReasoningHomes;
  /** Prefix of all keys, from `prefixOf`. */
  readonly prefix: string;
}

/** Keys: digests, the best match first. Returns the value of the first existing key. */
const FIND = script(`for i = 1, #KEYS do
  local found = redis.call("GET", KEYS[i])
  if found then return found end
end
return ""`);

/** Key: digest. Arguments: the value, and its lifetime in ms. */
const KEEP = script(`redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])`);

/** Stores homes on a server that several gateways share, so that each finds the others' entries. */
export class SharedHomes implements ReasoningHomes, Disposable {
  readonly #options: SharedHomesOptions;
  readonly #link: Link;

  private constructor(options: SharedHomesOptions, link: Link) {
    this.#options = options;
    this.#link = link;
  }

  /** An unreachable server does not prevent the start. */
  static async open(options: SharedHomesOptions): Promise<SharedHomes> {
    return new SharedHomes(options, await Link.open(options, [FIND, KEEP]));
  }

  async find(digests: readonly string[]): Promise<ReasoningHome | undefined> {
    const keys = digests.map((digest) => this.#keyOf(digest));
    const found = await this.#link.ask(FIND, keys, [], readHome);
    return found ?? (await this.#options.local.find(digests));
  }

  keep(digest: string, home: ReasoningHome): void {
    this.#options.local.keep(digest, home);
    this.#link.tell(KEEP, [this.#keyOf(digest)], [JSON.stringify(home), String(HOME_MS)]);
  }

  [Symbol.dispose](): void {
    this.#link[Symbol.dispose]();
  }

  /** Braces keep all keys in one slot of a cluster. */
  #keyOf(digest: string): string {
    return `${this.#options.prefix}{homes}:${digest}`;
  }
}

function readHome(reply: unknown): ReasoningHome | undefined {
  const json = typeof reply === "string" && reply !== "" ? parseJson(reply) : undefined;
  if (!isObject(json)) return undefined;
  const [channel, account] = [textOf(json["channel"]), textOf(json["account"])];
  return channel === undefined || account === undefined ? undefined : { channel, account };
}
