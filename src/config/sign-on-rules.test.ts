import { expect, test } from "bun:test";
import { signOnRules } from "./sign-on-rules.ts";

const WRITTEN = [
  { claim: "groups", value: "admins", role: "admin" },
  { claim: "groups", pattern: "design-*", team: "Büro, Süd", team_role: "owner", group: "artists" },
];

test("rules of single sign-on are read and written as JSON", () => {
  const rules = signOnRules.parse(JSON.stringify(WRITTEN)) ?? [];

  expect(rules).toEqual([
    { claim: "groups", match: { value: "admins" }, role: "admin", isTeamOwner: false },
    {
      claim: "groups",
      match: { pattern: "design-*" },
      team: "Büro, Süd",
      isTeamOwner: true,
      group: "artists",
    },
  ]);
  expect(JSON.parse(signOnRules.format(rules))).toEqual(
    WRITTEN.map((each) => expect.objectContaining(each)),
  );
});

const INCOMPLETE =
  "is wrong at rule 1: a rule needs either 'value' or 'pattern', at least one of 'role', 'team' " +
  "and 'group', and 'team' for a 'team_role'.";

const MISTAKES: readonly (readonly [string, string])[] = [
  ["groups=admins", "is not JSON."],
  [JSON.stringify([{ claim: "groups", value: "a", role: "root" }]), "is wrong at rule 1 (role)."],
  [
    JSON.stringify([WRITTEN[0], { claim: "g", value: "a", role: "user", quota: 5 }]),
    "is wrong at rule 2.",
  ],
  [JSON.stringify([{ claim: "groups", role: "admin" }]), INCOMPLETE],
  [JSON.stringify([{ claim: "g", value: "a", pattern: "b", role: "user" }]), INCOMPLETE],
  [JSON.stringify([{ claim: "groups", value: "a" }]), INCOMPLETE],
  [JSON.stringify([{ claim: "g", value: "a", group: "x", team_role: "owner" }]), INCOMPLETE],
];

test.each(MISTAKES)("the rules %s are refused with a reason", (text, reason) => {
  expect(signOnRules.parse(text)).toBeUndefined();
  expect(signOnRules.explain?.(text)).toBe(reason);
});
