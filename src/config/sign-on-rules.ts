import { z } from "zod";
import { MAX_SIGN_ON_RULES, RULE_ROLES, type SignOnRule } from "#core/sign-on-rules.ts";
import { parseJson } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { parser, type Parser } from "./parsers.ts";

const NAME = z.string().min(1).max(100);

const RULE = z.strictObject({
  claim: z.string().min(1).max(255),
  value: z.string().min(1).max(255).optional(),
  pattern: z.string().min(1).max(255).optional(),
  role: z.enum(RULE_ROLES).optional(),
  team: NAME.optional(),
  team_role: z.enum(["member", "owner"]).optional(),
  group: NAME.optional(),
});

const RULES = z.array(RULE).max(MAX_SIGN_ON_RULES);

type WrittenRule = z.output<typeof RULE>;

/** A JSON array, so that any name of a claim, team or group can be written. */
export const signOnRules: Parser<readonly SignOnRule[]> = parser<readonly SignOnRule[]>({
  expects: 'a JSON array of rules such as {"claim": "groups", "value": "admins", "role": "admin"}',
  shows: "always",
  parse(text) {
    const parsed = RULES.safeParse(parseJson(text));
    if (!parsed.success || parsed.data.some(isIncomplete)) return undefined;
    return parsed.data.map(toRule);
  },
  format: (rules) => JSON.stringify(rules.map(toWritten)),
  explain(text) {
    const json = parseJson(text);
    if (json === undefined) return "is not JSON.";
    const { error, data = [] } = RULES.safeParse(json);
    const [issue] = error?.issues ?? [];
    if (issue !== undefined) {
      const [at = 0, ...rest] = issue.path;
      return `is wrong at rule ${Number(at) + 1}${rest.length > 0 ? ` (${rest.join(".")})` : ""}.`;
    }
    const wrong = data.findIndex(isIncomplete) + 1;
    return (
      `is wrong at rule ${wrong}: a rule needs either 'value' or 'pattern', at least one of ` +
      "'role', 'team' and 'group', and 'team' for a 'team_role'."
    );
  },
});

function isIncomplete({ value, pattern, role, team, team_role, group }: WrittenRule): boolean {
  const isMatchGood = (value === undefined) !== (pattern === undefined);
  const givesNothing = role === undefined && team === undefined && group === undefined;
  return !isMatchGood || givesNothing || (team_role !== undefined && team === undefined);
}

function toRule({ claim, value, pattern, team_role, ...gives }: WrittenRule): SignOnRule {
  const match = value === undefined ? { pattern: pattern ?? "" } : { value };
  return { claim, match, isTeamOwner: team_role === "owner", ...defined(gives) };
}

function toWritten({ claim, match, isTeamOwner, ...gives }: SignOnRule): WrittenRule {
  return { claim, ...match, ...gives, ...(isTeamOwner ? { team_role: "owner" } : {}) };
}
