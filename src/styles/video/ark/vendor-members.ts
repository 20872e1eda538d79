import { invalid } from "#core/error.ts";
import type { LossReport } from "#core/lossy.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import type { ArkVideoDialect, Own } from "./dialect.ts";

interface Rule {
  readonly must: string;
  holds(value: Json): boolean;
}

const RULES: Readonly<Record<Own, Rule>> = {
  service_tier: {
    must: "default or flex",
    holds: (value) => value === "default" || value === "flex",
  },
  execution_expires_after: {
    must: "a whole number of seconds from 3600 to 259200",
    holds: isWholeFrom(3_600, 259_200),
  },
  draft: { must: "true or false", holds: (value) => typeof value === "boolean" },
  tools: {
    must: "a list of tools of the type web_search",
    holds: (value) =>
      isArray(value) && value.every((tool) => memberOf(tool, "type") === "web_search"),
  },
  priority: { must: "a whole number from 0 to 9", holds: isWholeFrom(0, 9) },
  output_format: { must: "text", holds: (value) => typeof value === "string" },
};

const isOwn = (name: string): name is Own => Object.hasOwn(RULES, name);
export const OWN = Object.keys(RULES).filter(isOwn);

/**
 * Members that the model supports, validated; unsupported ones are reported as lost. Unknown
 * members are forwarded unchanged.
 */
export function checkOwn(
  members: JsonObject,
  { refuses = [], formats = ["mp4"] }: ArkVideoDialect,
  report: LossReport,
): JsonObject {
  const known = Object.entries(members).filter(([name, value]) => {
    if (value === undefined || !isOwn(name)) return true;
    const { must, holds } = RULES[name];
    if (!holds(value)) throw invalid(name, `'${name}' must be ${must}.`);
    if (name === "output_format" && !formats.some((format) => format === value)) {
      throw invalid(name, `'${name}' must be ${formats.join(" or ")}.`);
    }
    if (!refuses.includes(name)) return true;
    if (!saysNothing(value)) report.lose(name);
    return false;
  });
  return Object.fromEntries(known);
}

function isWholeFrom(min: number, max: number) {
  return (value: Json): boolean =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

function saysNothing(value: Json): boolean {
  return value === false || value === "default" || (isArray(value) && value.length === 0);
}
