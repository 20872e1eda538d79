import { isDeepStrictEqual } from "node:util";
import type { SeenAnswer } from "#http/show-answer.ts";
import { isArray, isObject, type Json } from "#lib/json.ts";

/** Where an answer is not what the API document says of it: another type, or a member that it does not name. */
export function answerFaults({ route, status, body, schema }: SeenAnswer): readonly string[] {
  const parsed = schema.safeParse(body);
  const at = `${route} (${status})`;
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => `${at} ${path.join(".")}: ${message}`);
  }
  if (isDeepStrictEqual(parsed.data, body)) return [];
  // What a schema of an object does not name, it leaves out.
  return [`${at} has members beside its schema: ${membersBeside(body, parsed.data as Json)}`];
}

function membersBeside(body: Json, kept: Json | undefined): string {
  return [...pathsOf(body)].filter((path) => !pathsOf(kept).has(path)).join(", ");
}

function pathsOf(value: Json | undefined, path = ""): ReadonlySet<string> {
  const members = isArray(value)
    ? value.map((item) => ["[]", item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return new Set(
    members.flatMap(([name, member]) => [`${path}.${name}`, ...pathsOf(member, `${path}.${name}`)]),
  );
}
