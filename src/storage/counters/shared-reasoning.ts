import { Buffer } from "node:buffer";
import type { SharedEntry, SharedReasoning } from "#core/shared-reasoning.ts";
import type { Seal } from "#lib/seal.ts";
import { Link, type LinkOptions } from "./link.ts";
import { nowOn, script, SERVER_CLOCK } from "./scripts.ts";

interface SharedReasoningOptions extends LinkOptions {
  /** Prefix of all keys, from `prefixOf`. */
  readonly prefix: string;
  /** Hides owners and ids of tool calls from users of the server. */
  digest(name: string): string;
  /** Texts are content of conversations, which the server need not read. */
  readonly seal: Seal;
  /** Bytes of all entries; the oldest are removed first. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** A larger text stays in its gateway. */
const MAX_TEXT_LENGTH = 256 * 1024;
/** Names that one request asks for, and bytes of one reply, so that it arrives in time. */
const MAX_NAMES = 64;
const MAX_REPLY_BYTES = 2 * 1024 * 1024;

/** Keys: entries, the most important first. Returns a value and its rest of life for each. */
const FIND = script(`local reply, bytes = {}, 0
for i = 1, #KEYS do
  local found = bytes < ${MAX_REPLY_BYTES} and redis.call("GET", KEYS[i]) or ""
  bytes = bytes + #found
  reply[#reply + 1] = found
  reply[#reply + 1] = tostring(found == "" and 0 or redis.call("PTTL", KEYS[i]))
end
return reply`);

/**
 * Keys: the entry; all entries by their end; their sizes; the sum of the sizes. Arguments: the
 * value, its lifetime in ms, and the limit of the sum.
 */
const KEEP = script(`${nowOn(SERVER_CLOCK)}
local entry, ends, sizes, sum = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local size, lifetime, most = #ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local function forget(name)
  local known = redis.call("HGET", sizes, name)
  if known then redis.call("DECRBY", sum, known) end
  redis.call("HDEL", sizes, name)
  redis.call("ZREM", ends, name)
end
forget(entry)
for _, name in ipairs(redis.call("ZRANGEBYSCORE", ends, "-inf", now, "LIMIT", 0, 100)) do forget(name) end
redis.call("SET", entry, ARGV[1], "PX", ARGV[2])
redis.call("ZADD", ends, string.format("%.17g", now + lifetime), entry)
redis.call("HSET", sizes, entry, size)
local total = redis.call("INCRBY", sum, size)
while total > most do
  local oldest = redis.call("ZRANGE", ends, 0, 0)[1]
  if not oldest then break end
  redis.call("DEL", oldest)
  forget(oldest)
  total = tonumber(redis.call("GET", sum) or "0")
end
for i = 2, 4 do redis.call("PEXPIRE", KEYS[i], lifetime) end`);

/** Sealed texts on a server that several gateways share. An unreachable server has no texts. */
export class RemoteReasoning implements SharedReasoning, Disposable {
  readonly #options: SharedReasoningOptions;
  readonly #link: Link;

  private constructor(options: SharedReasoningOptions, link: Link) {
    this.#options = options;
    this.#link = link;
  }

  /** An unreachable server does not prevent the start. */
  static async open(options: SharedReasoningOptions): Promise<RemoteReasoning> {
    return new RemoteReasoning(options, await Link.open(options, [FIND, KEEP]));
  }

  async find(names: readonly string[]): Promise<readonly SharedEntry[] | undefined> {
    const asked = names.slice(0, MAX_NAMES);
    const keys = asked.map((name) => this.#keyOf(this.#options.digest(name)));
    return await this.#link.ask(FIND, keys, [], (reply) => this.#read(asked, reply));
  }

  keep(name: string, text: string, keepMs: number): void {
    if (text.length > MAX_TEXT_LENGTH || !this.#link.isUp) return;
    const { digest, seal, maxBytes = MAX_BYTES } = this.#options;
    const keys = [digest(name), "ends", "sizes", "sum"].map((each) => this.#keyOf(each));
    const sealed = seal.close(Buffer.from(text), name);
    this.#link.tell(KEEP, keys, [sealed, String(keepMs), String(maxBytes)]);
  }

  [Symbol.dispose](): void {
    this.#link[Symbol.dispose]();
  }

  #read(names: readonly string[], reply: unknown): readonly SharedEntry[] {
    const parts = Array.isArray(reply) ? reply.map(String) : [];
    return names.flatMap((name, index) => {
      const opened = this.#options.seal.open(parts[index * 2] ?? "", name);
      if (opened === undefined) return [];
      const text = Buffer.from(opened).toString();
      return [{ name, text, leftMs: Number(parts[index * 2 + 1]) }];
    });
  }

  /** Braces keep all keys in one slot of a cluster. */
  #keyOf(id: string): string {
    return `${this.#options.prefix}{reasoning}:${id}`;
  }
}
