/**
 * What a value in a caller's body must look like. Only what is named is
 * checked: members that no rule knows pass, and an optional member may be
 * null, since clients send null for what they leave out. The same rules make
 * the schema of the public documentation (`rule-schema.ts`).
 */
export type Rule =
  | TextRule
  | NumberRule
  | FlagRule
  | ObjectRule
  | ListRule
  | EitherRule
  | TaggedRule
  | RecordRule;

interface RuleBase {
  /** For the public documentation. */
  readonly doc?: string;
  /** Taken and never shown again, neither in answers nor in what is kept of requests. */
  readonly isSecret?: true;
  /** May hold a secret by mistake or among other things: errors name it, and never quote it. */
  readonly mayHoldSecret?: true;
}

export interface TextRule extends RuleBase {
  readonly is: "text";
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Compared without regard to case where `anyCase` is set. */
  readonly oneOf?: readonly string[];
  readonly anyCase?: true;
  /** A value beside `oneOf` may be newer than we are: see `Violation.mayBeNewer`. */
  readonly isOpen?: true;
}

export interface NumberRule extends RuleBase {
  readonly is: "number" | "integer";
  readonly min: number;
  readonly max: number;
  /** A number below `min` may be newer than we are: see `Violation.mayBeNewer`. */
  readonly isOpen?: true;
}

interface FlagRule extends RuleBase {
  readonly is: "flag";
}

export interface ObjectRule extends RuleBase {
  readonly is: "object";
  readonly members: ReadonlyMap<string, Rule>;
  readonly required: readonly string[];
}

export interface ListRule extends RuleBase {
  readonly is: "list";
  readonly of: Rule;
  readonly min: number;
  readonly max: number;
}

/** Alternatives that differ in their JSON type. */
interface EitherRule extends RuleBase {
  readonly is: "either";
  readonly of: readonly Rule[];
}

/** An object whose rule depends on one of its members. */
export interface TaggedRule extends RuleBase {
  readonly is: "tagged";
  readonly tag: string;
  readonly cases: ReadonlyMap<string, ObjectRule>;
  /** For an object without the tag; otherwise the tag is required. */
  readonly untagged?: ObjectRule;
  /**
   * Whether tags beside the cases are refused; otherwise they are somebody
   * else's and pass. `open`: they may be newer than we are, see
   * `Violation.mayBeNewer`.
   */
  readonly closed: boolean | "open";
}

/** Members with any name; those that are objects follow the rule. */
export interface RecordRule extends RuleBase {
  readonly is: "record";
  readonly of: ObjectRule;
}

export function text(options: Omit<TextRule, "is"> = {}): TextRule {
  return { is: "text", ...options };
}

export function number(min: number, max: number, doc?: string): NumberRule {
  return { is: "number", min, max, ...(doc === undefined ? {} : { doc }) };
}

export function integer(min: number, max: number, doc?: string): NumberRule {
  return { is: "integer", min, max, ...(doc === undefined ? {} : { doc }) };
}

export function flag(doc?: string): FlagRule {
  return { is: "flag", ...(doc === undefined ? {} : { doc }) };
}

export function list(of: Rule, max: number, min = 0): ListRule {
  return { is: "list", of, min, max };
}

export function either(...of: readonly Rule[]): EitherRule {
  return { is: "either", of };
}

/** A member whose name ends in `!` must be there and not be null. */
export function object(members: Readonly<Record<string, Rule>>, doc?: string): ObjectRule {
  const names = Object.keys(members);
  return {
    is: "object",
    members: new Map(Object.entries(members).map(([name, rule]) => [bare(name), rule])),
    required: names.filter((name) => name.endsWith("!")).map(bare),
    ...(doc === undefined ? {} : { doc }),
  };
}

export function tagged(
  tag: string,
  cases: Readonly<Record<string, ObjectRule>>,
  options: { closed: TaggedRule["closed"]; untagged?: ObjectRule },
): TaggedRule {
  return { is: "tagged", tag, cases: new Map(Object.entries(cases)), ...options };
}

function bare(name: string): string {
  return name.endsWith("!") ? name.slice(0, -1) : name;
}

/** The least that passes. */
export function leastOf({ min, isOpen }: NumberRule): number {
  return isOpen === true ? Math.min(min, 0) : min;
}
