import { expect, test } from "bun:test";
import { missingFactor, type SecondFactorRule } from "./second-factor.ts";
import type { Role, User } from "./user.ts";

function lackOfLogin(
  rule: SecondFactorRule,
  role: Role,
  { hasSecondFactor = false, isConfirmed = false } = {},
): string | undefined {
  const user: User = {
    id: 7,
    name: "ada",
    displayName: "ada",
    role,
    isEnabled: true,
    hasPassword: true,
    hasSecondFactor,
    createdAt: 0,
  };
  return missingFactor({ user, isConfirmed }, rule);
}

test.each([
  ["none", "root", undefined],
  ["admins", "user", undefined],
  ["admins", "auditor", undefined],
  ["admins", "admin", "second factor"],
  ["admins", "root", "second factor"],
  ["all", "user", "second factor"],
] as const)("with the rule %s, a login as %s lacks: %p", (rule, role, lack) => {
  expect(lackOfLogin(rule, role)).toBe(lack);
});

test("a user with a second factor must use it under every rule", () => {
  for (const rule of ["none", "all"] as const) {
    expect(lackOfLogin(rule, "user", { hasSecondFactor: true })).toBe("code");
    expect(lackOfLogin(rule, "user", { hasSecondFactor: true, isConfirmed: true })).toBeUndefined();
  }
});
