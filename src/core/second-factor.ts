import { isAtLeast, type Role, type Session } from "./user.ts";

/** Of whom a second factor is asked for. */
export const SECOND_FACTOR_RULES = ["none", "admins", "all"] as const;
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];

/** What users show beside their password: codes of an authenticator, or recovery codes. */
export interface SecondFactors {
  /** A new secret for the user's authenticator. It counts for nothing until a code of it was shown. */
  begin(userId: number): Promise<Uint8Array>;
  /**
   * Takes a code of the new secret, ends all logins of before, and gives the
   * recovery codes, which are not shown again. Undefined where the code is not
   * of it, or came too late.
   */
  confirm(userId: number, code: string): Promise<readonly string[] | undefined>;
  /** Takes a code, or a recovery code; each is good once. */
  spend(userId: number, code: string): Promise<boolean>;
  /** False where there is none. */
  remove(userId: number): Promise<boolean>;
}

/**
 * What has to be shown or set up before a session opens what its user may do.
 * Judged at each request, so that it follows roles and settings that change.
 */
export function lackOf(
  { user, isConfirmed }: Session,
  rule: SecondFactorRule,
): "code" | "second factor" | undefined {
  if (isConfirmed) return undefined;
  if (user.hasSecondFactor) return "code";
  return isRequired(rule, user.role) ? "second factor" : undefined;
}

function isRequired(rule: SecondFactorRule, role: Role): boolean {
  return rule === "all" || (rule === "admins" && isAtLeast(role, "admin"));
}
