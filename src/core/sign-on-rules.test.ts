import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { grantOf, type SignOnRule } from "./sign-on-rules.ts";

function rule(claim: string, value: string, gives: Partial<SignOnRule>): SignOnRule {
  const match = value.includes("*") ? { pattern: value } : { value };
  return { claim, match, isTeamOwner: false, ...gives };
}

const RULES: readonly SignOnRule[] = [
  rule("groups", "admins", { role: "admin" }),
  rule("groups", "auditors", { role: "auditor" }),
  rule("groups", "design-leads", { team: "Design", isTeamOwner: true }),
  rule("groups", "design-*", { team: "Design", group: "artists" }),
];

const CASES: readonly (readonly [string, JsonObject, object])[] = [
  ["the first matching rule", { groups: ["auditors", "admins"] }, { role: "admin" }],
  ["a claim with one text", { groups: "auditors" }, { role: "auditor" }],
  [
    "a rule for each of role, team and group",
    { groups: ["design-leads", "auditors"] },
    { role: "auditor", team: { name: "Design", isOwner: true }, group: "artists" },
  ],
  ["the usual role, no team and no group without a match", { groups: ["others"] }, {}],
  ["the same if the claim is gone", {}, {}],
  ["the same for a claim of another type", { groups: { admins: true } }, {}],
  ["a value only as a whole", { groups: ["admins2", "Admins", " admins"] }, {}],
];

test.each(CASES)("a grant follows %s", (_, claims, expected) => {
  const none = { role: "user", team: null, group: null };
  expect<object>(grantOf(RULES, claims, "user")).toEqual({ ...none, ...expected });
});

test("rules leave alone the members that none of them names", () => {
  const onlyGroup = [rule("groups", "x", { group: "g" })];

  expect(grantOf(onlyGroup, { groups: ["x"] }, "user")).toEqual({ group: "g" });
  expect(grantOf(onlyGroup, {}, "user")).toEqual({ group: null });
  expect(grantOf([], { groups: ["x"] }, "user")).toEqual({});
});

test("a claim is found by its whole name, or by its path", () => {
  const url = "https://example.com/roles";
  const rules = [rule(url, "boss", { role: "admin" }), rule("a.b.c", "7", { group: "g" })];

  const nested = { [url]: ["boss"], a: { b: { c: 7 } } };
  expect(grantOf(rules, nested, "user")).toEqual({ role: "admin", group: "g" });
  expect(grantOf(rules, { a: { b: null } }, "user")).toEqual({ role: "user", group: null });
  expect(grantOf([rule("toString", "*", { role: "admin" })], {}, "user")).toEqual({ role: "user" });
});

const PATTERNS: readonly (readonly [string, string, boolean])[] = [
  ["team-*", "team-", true],
  ["team-*", "team-a", true],
  ["team-*", "a-team-b", false],
  ["*-admins", "eu-admins", true],
  ["*-admins", "eu-admins-2", false],
  ["eu-*-admins", "eu-x-admins", true],
  ["eu-*-admins", "eu-admins", false],
  ["a*b*c", "a1b2b3c", true],
  ["a*b*c", "a1c2b", false],
  ["a*a", "a", false],
  ["*", "", true],
  ["*.*", "x.y", true],
  ["*.*", "xy", false],
];

test.each(PATTERNS)("the pattern %s on the text '%s' gives %p", (pattern, text, isMatch) => {
  const granted = grantOf([rule("claim", pattern, { role: "admin" })], { claim: text }, "user");

  expect(granted.role).toBe(isMatch ? "admin" : "user");
});
