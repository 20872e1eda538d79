import type { ApiKey } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";

interface KeyCacheOptions {
  readonly lookup: (digest: string) => Promise<ApiKey | undefined>;
  /** Lifetime of a record, counted from before its query. */
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly maxKeys?: number;
  readonly maxUnknown?: number;
}

/** Cached keys by digest. */
interface KeyCache {
  /** Returns no promise if the key is cached. */
  find(digest: string): Promise<ApiKey | undefined> | ApiKey | undefined;
  /**
   * Call this after a change of the key is committed: from then on no caller
   * gets the old record, not even from a running lookup.
   */
  forget(keyId: number): void;
  /** The same for all keys of a group's users. */
  forgetGroup(groupId: number): void;
}

interface Known {
  readonly key: ApiKey;
  readonly expiresAt: number;
}

const MAX_KEYS = 50_000;
const MAX_UNKNOWN = 10_000;
const UNKNOWN_TTL_MS = 1_000;

export function createKeyCache(options: KeyCacheOptions): KeyCache {
  const { lookup, ttlMs, clock, maxKeys = MAX_KEYS, maxUnknown = MAX_UNKNOWN } = options;
  const known = new Map<string, Known>();
  /** Two of a key during the overlap of a rotation. */
  const digests = new Map<number, readonly string[]>();
  const unknown = new Map<string, number>();
  let underWay = new Map<string, Promise<ApiKey | undefined>>();
  /** Incremented with every change: results of queries from before are not cached. */
  let epoch = 0;

  return {
    find(digest) {
      const entry = known.get(digest);
      if (entry !== undefined) {
        if (entry.expiresAt > clock.monotonic()) return recent(digest, entry);
        drop(digest, entry);
      } else {
        const until = unknown.get(digest);
        if (until !== undefined) {
          if (until > clock.monotonic()) return undefined;
          unknown.delete(digest);
        }
      }
      return underWay.get(digest) ?? ask(digest);
    },

    forget(keyId) {
      distrust();
      unknown.clear();
      for (const digest of digests.get(keyId) ?? []) {
        const entry = known.get(digest);
        if (entry !== undefined) drop(digest, entry);
      }
    },

    forgetGroup(groupId) {
      distrust();
      for (const [digest, entry] of known) {
        if (entry.key.group?.id === groupId) drop(digest, entry);
      }
    },
  };

  /** Discards the results of running lookups. */
  function distrust(): void {
    epoch++;
    underWay = new Map();
  }

  async function ask(digest: string): Promise<ApiKey | undefined> {
    const askedIn = epoch;
    const askedAt = clock.monotonic();
    const answer = lookup(digest);
    const mine = underWay;
    mine.set(digest, answer);
    try {
      const key = await answer;
      if (askedIn === epoch) keep(digest, key, askedAt);
      return key;
    } finally {
      mine.delete(digest);
    }
  }

  function keep(digest: string, key: ApiKey | undefined, askedAt: number): void {
    if (key === undefined) {
      if (unknown.size >= maxUnknown) dropOldest(unknown);
      unknown.set(digest, askedAt + UNKNOWN_TTL_MS);
      return;
    }
    if (known.size >= maxKeys) {
      const oldest = known.entries().next().value;
      if (oldest !== undefined) drop(oldest[0], oldest[1]);
    }
    known.set(digest, { key, expiresAt: askedAt + ttlMs });
    const others = digests.get(key.id)?.filter((each) => each !== digest) ?? [];
    digests.set(key.id, [...others, digest]);
  }

  /** Moves the entry to the end, so that unused entries move to the front. */
  function recent(digest: string, entry: Known): ApiKey {
    if (known.size >= maxKeys) {
      known.delete(digest);
      known.set(digest, entry);
    }
    return entry.key;
  }

  function drop(digest: string, entry: Known): void {
    known.delete(digest);
    const others = digests.get(entry.key.id)?.filter((each) => each !== digest) ?? [];
    if (others.length === 0) digests.delete(entry.key.id);
    else digests.set(entry.key.id, others);
  }
}

function dropOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}
