import { objectOf } from "#lib/values.ts";
import { writeFactor } from "../amounts.ts";
import type { ImportDraft } from "../draft.ts";
import { toDisplayName } from "../names.ts";
import type { Row } from "../row.ts";
import type { ChannelRefs } from "./channels.ts";
import type { Options } from "./options.ts";

const MOST_FACTOR = 100;

/** Groups of users, with the channels that serve them, their price factor and their limits. */
export class Groups {
  readonly #options: Options;
  readonly #draft: ImportDraft;
  readonly #channels = new Map<string, string[]>();
  readonly #factors: ReadonlyMap<string, number>;
  readonly #made = new Set<string>();

  constructor(options: Options, channels: readonly Row[], refs: ChannelRefs, draft: ImportDraft) {
    this.#options = options;
    this.#draft = draft;
    this.#factors = options.numbers("GroupRatio") ?? new Map<string, number>();
    for (const row of channels) {
      const served = refs.get(row.number("id") ?? 0) ?? [];
      for (const group of new Set(groupsOf(row))) {
        this.#channels.set(group, [...(this.#channels.get(group) ?? []), ...served]);
      }
    }
    const named = [...this.#factors.keys(), ...this.#channels.keys()];
    for (const group of new Set(named)) this.ref(group);
  }

  /** The ref of a group, which is made if it does not exist yet. */
  ref(group: string): string {
    return this.#make(group, group, this.#factors.get(group) ?? 1, []);
  }

  /**
   * The group of a key with another group than its user's. The pair of both may have a price of its
   * own.
   */
  refFor(usersGroup: string, group: string): string {
    const own = objectOf(this.#options.object("GroupGroupRatio")?.[usersGroup])?.[group];
    if (usersGroup === group || typeof own !== "number") return this.ref(group);
    return this.#make(`${group} for ${usersGroup}`, group, own, [
      `There, users of ${usersGroup} pay this factor for keys of the group ${group}.`,
    ]);
  }

  /** Groups that a key of `auto` tries in their order. */
  get automatic(): readonly string[] {
    const text = this.#options.text("AutoGroups") ?? "[]";
    try {
      const list: unknown = JSON.parse(text);
      return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
    } catch {
      return [];
    }
  }

  serves(group: string): boolean {
    return (this.#channels.get(group) ?? []).length > 0;
  }

  #make(ref: string, group: string, factor: number, said: readonly string[]): string {
    if (this.#made.has(ref)) return ref;
    this.#made.add(ref);
    const written = writeFactor(Math.min(factor, MOST_FACTOR));
    const limits = this.#limits(group);
    this.#draft.groups.push({
      ref,
      name: toDisplayName(ref, "group"),
      changes: [
        ...said,
        ...(Number(written) === factor
          ? []
          : [`Its factor ${factor} becomes ${written}: factors here have three decimals.`]),
        ...limits.changes,
      ],
      fields: {
        ...(written === "1" ? {} : { price_factor: written }),
        ...(limits.rpm === undefined ? {} : { limits: { rpm: limits.rpm } }),
      },
      channels: this.#channels.get(group) ?? [],
    });
    return ref;
  }

  /** new-api's limits of the requests of each user. */
  #limits(group: string): { readonly rpm?: number; readonly changes: readonly string[] } {
    if (!this.#options.isOn("ModelRequestRateLimitEnabled")) return { changes: [] };
    const minutes = this.#options.number("ModelRequestRateLimitDurationMinutes") ?? 1;
    const own = this.#options.object("ModelRequestRateLimitGroup")?.[group];
    const [total, successful] = Array.isArray(own)
      ? own.map(Number)
      : [
          this.#options.number("ModelRequestRateLimitCount"),
          this.#options.number("ModelRequestRateLimitSuccessCount"),
        ];
    const bounds = [total, successful].filter((each) => each !== undefined && each > 0);
    if (bounds.length === 0) return { changes: [] };
    const bound = Math.min(...bounds.map(Number));
    const rpm = Math.max(1, Math.floor(bound / Math.max(minutes, 1)));
    const isOnlySuccess = bound === successful && bound !== total;
    return {
      rpm,
      changes: [
        ...(isOnlySuccess ? ["There, its limit counts successful requests; here, all."] : []),
        ...(minutes > 1
          ? [`Its limit of ${bound} requests in ${minutes} minutes becomes ${rpm} in each.`]
          : []),
      ],
    };
  }
}

function groupsOf(row: Row): readonly string[] {
  const groups = row.parts("group", /,/);
  return groups.length === 0 ? ["default"] : groups;
}
