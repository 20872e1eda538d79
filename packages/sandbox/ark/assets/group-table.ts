import { ownerIn, type Place } from "../account.ts";
import { newId } from "../ids.ts";

/** Groups of assets: images of anything, or of one verified person. */
export interface AssetGroup extends GroupWords {
  readonly id: string;
  readonly place: Place;
  readonly type: GroupType;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface GroupWords {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

export const GROUP_TYPES = ["AIGC", "LivenessFace"] as const;
type GroupType = (typeof GROUP_TYPES)[number];

export interface GroupTable {
  add(place: Place, type: GroupType, words: Partial<GroupWords>): AssetGroup;
  find(id: string, place: Place): AssetGroup | undefined;
  /** The oldest first. */
  list(place: Place): readonly AssetGroup[];
  change(group: AssetGroup, words: Partial<GroupWords>): void;
  remove(group: AssetGroup): void;
}

export function groupTable(now: () => number): GroupTable {
  const groups = new Map<string, AssetGroup>();
  const isAt = (group: AssetGroup, place: Place) => ownerIn(group.place) === ownerIn(place);

  return {
    add(place, type, words) {
      const at = now();
      const blank = { name: "", title: "", description: "" };
      const id = newId("group", at);
      const group = { ...blank, ...words, id, place, type, createdAt: at, updatedAt: at };
      groups.set(id, group);
      const [oldest] = groups.keys();
      if (groups.size > MAX_GROUPS && oldest !== undefined) groups.delete(oldest);
      return group;
    },
    find(id, place) {
      const group = groups.get(id);
      return group !== undefined && isAt(group, place) ? group : undefined;
    },
    list: (place) => [...groups.values()].filter((group) => isAt(group, place)),
    change(group, words) {
      groups.set(group.id, { ...group, ...words, updatedAt: now() });
    },
    remove: (group) => void groups.delete(group.id),
  };
}

const MAX_GROUPS = 2_000;
