import type { RateLimits, RateLimitsChange } from "./limits.ts";
import {
  scalePrice,
  writeThousandths,
  type GradedRates,
  type Price,
  type Thousandths,
} from "./money.ts";

/** Users who share what they may use, what it costs them, and how fast they may call. */
export interface Group {
  readonly id: number;
  /** Unique. */
  readonly name: string;
  /** Names and patterns as a key has them; all where absent. */
  readonly models?: readonly string[];
  /** By their names; all where absent. */
  readonly channels?: readonly string[];
  /** Of the usual price. */
  readonly priceFactor: Thousandths;
  /** By the name that callers use: these take the place of the usual price and of the factor. */
  readonly prices: ReadonlyMap<string, Price>;
  /** Of each of its users. */
  readonly limits?: RateLimits;
  /** Of all its users together. */
  readonly sharedLimits?: RateLimits;
  /** Unix ms. */
  readonly createdAt: number;
}

/** What is absent stays as it is; `null` takes a bound away. */
export interface GroupChange {
  readonly name?: string;
  readonly models?: readonly string[] | null;
  readonly channels?: readonly string[] | null;
  readonly priceFactor?: Thousandths;
  readonly prices?: ReadonlyMap<string, GradedRates>;
  readonly limits?: RateLimitsChange;
  readonly sharedLimits?: RateLimitsChange;
}

export interface GroupDraft extends GroupChange {
  readonly name: string;
}

export interface GroupStore {
  /** Throws `invalid_request` where the name is another group's already. */
  create(draft: GroupDraft): Promise<Group>;
  find(id: number): Promise<Group | undefined>;
  /** By id, at most `limit` of those after `afterId`. */
  list(afterId: number, limit: number): Promise<readonly Group[]>;
  /** Undefined where there is no such group. */
  change(id: number, change: GroupChange): Promise<Group | undefined>;
  /** False where there is no such group. Throws `invalid_request` while users are in it. */
  delete(id: number): Promise<boolean>;
}

export const USUAL_FACTOR: Thousandths = 1_000;

/**
 * What a model costs a group: its own price for it, or else the usual one times
 * its factor. `names`: of the model, the one that was called first.
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

/** What a user is held to: of what the group does not say, what holds for everybody. */
export function userLimitsIn(
  { limits }: Group,
  everybodys: RateLimits | undefined,
): RateLimits | undefined {
  return limits === undefined ? everybodys : { ...everybodys, ...limits };
}
