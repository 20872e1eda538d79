import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import type { Role } from "./user.ts";

/** Gives role, team or group to users of single sign-on with a value in a claim. */
export interface SignOnRule {
  /** A claim, or its path: `groups`, `realm_access.roles`. */
  readonly claim: string;
  /** The claim, or one of its items, is this value or matches this pattern with `*`. */
  readonly match: { readonly value: string } | { readonly pattern: string };
  readonly role?: (typeof RULE_ROLES)[number];
  /** Name of the team. */
  readonly team?: string;
  readonly isTeamOwner: boolean;
  /** Name of the group. */
  readonly group?: string;
}

/** Root is never given by a rule. */
export const RULE_ROLES = ["user", "auditor", "admin"] as const satisfies readonly Role[];

export const MAX_SIGN_ON_RULES = 200;

/** Absent members are not decided by rules; `null` takes them away. */
export interface SignOnGrant {
  readonly role?: Role;
  readonly team?: { readonly name: string; readonly isOwner: boolean } | null;
  readonly group?: string | null;
}

/**
 * For each of role, team and group, the first matching rule that names it
 * decides. If rules name it and none matches, the user loses it: the role
 * becomes the usual one.
 */
export function grantOf(
  rules: readonly SignOnRule[],
  claims: JsonObject,
  usualRole: Role,
): SignOnGrant {
  const matching = rules.filter((rule) => doesMatch(rule, claims));
  const { role = usualRole } = matching.find((rule) => rule.role !== undefined) ?? {};
  const ofTeam = matching.find((rule) => rule.team !== undefined);
  const { group = null } = matching.find((rule) => rule.group !== undefined) ?? {};
  const team =
    ofTeam?.team === undefined ? null : { name: ofTeam.team, isOwner: ofTeam.isTeamOwner };
  return {
    ...(rules.some((rule) => rule.role !== undefined) ? { role } : {}),
    ...(rules.some((rule) => rule.team !== undefined) ? { team } : {}),
    ...(rules.some((rule) => rule.group !== undefined) ? { group } : {}),
  };
}

/** The claims that the rules read, by the names at the top of a token. */
export function claimsOf(rules: readonly SignOnRule[]): readonly string[] {
  return rules.map(({ claim }) => claim);
}

/** True if the claims contain the first step of a path. */
export function hasClaim(claims: JsonObject, path: string): boolean {
  return Object.hasOwn(claims, path) || Object.hasOwn(claims, path.split(".", 1)[0] ?? "");
}

function doesMatch({ claim, match }: SignOnRule, claims: JsonObject): boolean {
  const isMatch =
    "value" in match
      ? (text: string) => text === match.value
      : (text: string) => matches(match.pattern, text);
  return textsAt(claims, claim).some(isMatch);
}

/** A name with dots, such as a URL, is looked up as a whole before it is taken for a path. */
function textsAt(claims: JsonObject, path: string): readonly string[] {
  if (Object.hasOwn(claims, path)) return textsIn(claims[path]);
  let found: Json | undefined = claims;
  for (const step of path.split(".")) {
    found = isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return textsIn(found);
}

function textsIn(value: Json | undefined): readonly string[] {
  const items = isArray(value) ? value : [value];
  return items.flatMap((each) => {
    if (typeof each === "string") return [each];
    return typeof each === "boolean" || typeof each === "number" ? [String(each)] : [];
  });
}

/** Without a regular expression: its time could grow with the length of a claim. */
function matches(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
