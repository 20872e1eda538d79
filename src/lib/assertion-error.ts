import type { AssertionError } from "node:assert";

/** Whether an assertion failed. Naming its class would load it at each start, for 10 ms. */
export function isAssertionError(error: unknown): error is AssertionError {
  return error instanceof Error && "code" in error && error.code === "ERR_ASSERTION";
}
