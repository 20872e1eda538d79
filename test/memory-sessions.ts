import type { AssetGroup } from "#core/asset.ts";
import type {
  IdentityChange,
  IdentitySession,
  IdentitySessionStore,
} from "#core/identity-session.ts";

/** One session and the groups of persons, in memory; of two changes of a version the first counts. */
export function memorySessions(first: IdentitySession, groups: AssetGroup[] = []) {
  let current = first;
  let isRemoved = false;
  const changes: IdentityChange[] = [];
  const apply = (from: IdentitySession, change: IdentityChange): IdentitySession | undefined => {
    if (isRemoved || from.version !== current.version) return undefined;
    changes.push(change);
    const merged = Object.entries({ ...current, ...change, version: current.version + 1 });
    current = Object.fromEntries(
      merged.filter(([, value]) => value !== null),
    ) as unknown as IdentitySession;
    return current;
  };
  const store: IdentitySessionStore = {
    add: () => Promise.reject(new Error("There is one session.")),
    async findByToken(userId, digest) {
      const isIt = userId === current.userId && digest === current.tokenDigest;
      return isIt && !isRemoved ? current : undefined;
    },
    findByReturn: async () => current,
    list: async () => ({ sessions: [current], total: 1 }),
    countOpen: async () => 1,
    change: async (from, change) => apply(from, change),
    async pass(from, group, change) {
      const isTaken = groups.some(
        ({ id, place }) => id === group.id || place?.upstreamId === group.place?.upstreamId,
      );
      if (isTaken) return "taken";
      const passed = apply(from, { ...change, state: "passed", groupId: group.id });
      if (passed !== undefined) groups.push(group);
      return passed;
    },
    listUnresolved: async () => [current.id],
    lease: async () => [],
    prune: async () => 0,
  };
  return {
    store,
    groups,
    changes,
    now: () => current,
    /** As another process changes it. */
    change: (change: IdentityChange) => void apply(current, change),
    remove: () => void (isRemoved = true),
  };
}
