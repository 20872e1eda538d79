/** Whether a row could not be written because another one holds its name. Both engines' codes. */
const CODES = ["23505", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];

export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, CODES);
}

/** Whether a row refers to another one that is not there, or would not be there any more. */
export function isReferenceViolation(error: unknown): boolean {
  return hasCode(error, ["23503", "SQLITE_CONSTRAINT_FOREIGNKEY"]);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return typeof error.code === "string" && codes.includes(error.code);
}
