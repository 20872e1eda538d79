import type { ContentLevel } from "./content-log.ts";
import type { RateLimits, RateLimitsChange } from "./limits.ts";
import {
  scalePrice,
  writeThousandths,
  type GradedRates,
  type Price,
  type Thousandths,
} from "./money.ts";

/** Users who share allowed models, prices and rate limits. */
export interface Group {
  readonly id: number;
  /** Unique. */
  readonly name: string;
  /** Model names and patterns, as in a key; all if absent. */
  readonly models?: readonly string[];
  /** Channel names; all if absent. */
  readonly channels?: readonly string[];
  /** Factor on the normal price. */
  readonly priceFactor: Thousandths;
  /** Prices by the model name that clients use. They replace the normal price and the factor. */
  readonly prices: ReadonlyMap<string, Price>;
  /** Limits of each user in the group. */
  readonly limits?: RateLimits;
  /** Limits of all its users together. */
  readonly sharedLimits?: RateLimits;
  /** Level of the content log of keys without a level of their own. */
  readonly contentLog?: ContentLevel;
  /** Unix ms. */
  readonly createdAt: number;
}

/** Absent fields stay unchanged; `null` removes a limit. */
export interface GroupChange {
  readonly name?: string;
  readonly models?: readonly string[] | null;
  readonly channels?: readonly string[] | null;
  readonly priceFactor?: Thousandths;
  readonly prices?: ReadonlyMap<string, GradedRates>;
  readonly limits?: RateLimitsChange;
  readonly sharedLimits?: RateLimitsChange;
  readonly contentLog?: ContentLevel | null;
}

export interface GroupDraft extends GroupChange {
  readonly name: string;
}

export interface GroupStore {
  /** Throws `invalid_request` if another group has the name. */
  create(draft: GroupDraft): Promise<Group>;
  find(id: number): Promise<Group | undefined>;
  findByName(name: string): Promise<Group | undefined>;
  /** Ordered by id, at most `limit` groups after `afterId`. */
  list(afterId: number, limit: number): Promise<readonly Group[]>;
  /** Undefined if the group does not exist. */
  change(id: number, change: GroupChange): Promise<Group | undefined>;
  /** False if the group does not exist. Throws `invalid_request` while users are in it. */
  delete(id: number): Promise<boolean>;
}

export const USUAL_FACTOR: Thousandths = 1_000;

/**
 * The price of a model for a group: the group's own price, or else the normal
 * price times its factor. `names`: the model's names, the one that the client
 * used first.
 */
export function priceFor(
  { name, priceFactor, prices }: Group,
  usual: Price | undefined,
  names: readonly string[],
): Price | undefined {
  for (const each of names) {
    const own = prices.get(each);
    if (own !== undefined) return own;
  }
  if (usual === undefined || priceFactor === USUAL_FACTOR) return usual;
  const source = `${usual.source}, times ${writeThousandths(priceFactor)} for the group '${name}'`;
  return { ...scalePrice(usual, priceFactor), source };
}

/** The limits of a user: the group's limits, completed by the global ones. */
export function userLimitsIn(
  { limits }: Group,
  everybodys: RateLimits | undefined,
): RateLimits | undefined {
  return limits === undefined ? everybodys : { ...everybodys, ...limits };
}
