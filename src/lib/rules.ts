/**
 * Validation rules for the values in a client's body. Only named fields are
 * checked. Unknown fields pass, and an optional field may be null, because
 * clients send null for omitted fields. The public documentation's schema is
 * generated from the same rules (`rule-schema.ts`).
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
  /** Text for the public documentation. */
  readonly doc?: string;
  /** A secret that is accepted but never returned, neither in responses nor in stored requests. */
  readonly isSecret?: true;
  /** May contain a secret: errors name the field but never quote its value. */
  readonly mayHoldSecret?: true;
}

export interface TextRule extends RuleBase {
  readonly is: "text";
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Case-insensitive if `anyCase` is set. */
  readonly oneOf?: readonly string[];
  readonly anyCase?: true;
  /** A value outside `oneOf` may be newer than this code: see `Violation.mayBeNewer`. */
  readonly isOpen?: true;
}

export interface NumberRule extends RuleBase {
  readonly is: "number" | "integer";
  readonly min: number;
  readonly max: number;
  /** A number below `min` may be newer than this code: see `Violation.mayBeNewer`. */
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
export interface EitherRule extends RuleBase {
  readonly is: "either";
  readonly of: readonly Rule[];
}

/** An object with a rule that depends on one of its fields. */
export interface TaggedRule extends RuleBase {
  readonly is: "tagged";
  readonly tag: string;
  readonly cases: ReadonlyMap<string, ObjectRule>;
  /** The rule for an object without the tag; if absent, the tag is required. */
  readonly untagged?: ObjectRule;
  /**
   * True if unknown tags are refused; false if they pass. `open`: they may be
   * newer than this code, see `Violation.mayBeNewer`.
   */
  readonly closed: boolean | "open";
}

/** An object with any keys; values that are objects must match the rule. */
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

/** A field whose name ends in `!` is required and must not be null. */
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

/** The smallest accepted value. */
export function leastOf({ min, isOpen }: NumberRule): number {
  return isOpen === true ? Math.min(min, 0) : min;
}
