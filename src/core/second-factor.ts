import { isAtLeast, type Role, type Session } from "./user.ts";

/** Which users need a second factor. */
export const SECOND_FACTOR_RULES = ["none", "admins", "all"] as const;
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];

/** Second factors of users: authenticator codes and recovery codes. */
export interface SecondFactors {
  /** Creates a new secret for the user's authenticator. It becomes active with `confirm`. */
  begin(userId: number): Promise<Uint8Array>;
  /**
   * Checks a code of the new secret, ends all earlier sessions and returns the
   * recovery codes, which are not shown again. Undefined if the code is wrong
   * or expired.
   */
  confirm(userId: number, code: string): Promise<readonly string[] | undefined>;
  /** Checks a code or a recovery code; each is valid once. */
  spend(userId: number, code: string): Promise<boolean>;
  /** The number of recovery codes that are left. */
  countRecoveryCodes(userId: number): Promise<number>;
  /** False if the user has none. */
  remove(userId: number): Promise<boolean>;
}

/**
 * The step that is missing before a session gets its user's rights. Evaluated
 * at each request, so that changes of roles and settings take effect at once.
 */
export function missingFactor(
  { user, isConfirmed }: Session,
  rule: SecondFactorRule,
): "code" | "second factor" | undefined {
  if (isConfirmed) return undefined;
  if (user.hasSecondFactor) return "code";
  return isFactorRequired(rule, user.role) ? "second factor" : undefined;
}

export function isFactorRequired(rule: SecondFactorRule, role: Role): boolean {
  return rule === "all" || (rule === "admins" && isAtLeast(role, "admin"));
}
