/** Both engines' codes of a unique constraint violation. */
const CODES = ["23505", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];

export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, CODES);
}

/** True if a row refers to a missing row, or if its referenced row was to be deleted. */
export function isReferenceViolation(error: unknown): boolean {
  return hasCode(error, ["23503", "SQLITE_CONSTRAINT_FOREIGNKEY"]);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return typeof error.code === "string" && codes.includes(error.code);
}
