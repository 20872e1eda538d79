import { expect } from "bun:test";
import { GatewayError } from "#core/error.ts";

/** What is said against something: `param: message`; empty where nothing is. */
export function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    return `${cause.param ?? ""}: ${cause.message}`;
  }
  return "";
}

/** The code and field of what is refused; undefined if nothing is. */
export function refusal(run: () => unknown): [string, string | undefined] | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? [error.code, error.param] : ["thrown", String(error)];
  }
}

/** The field for which a check of a request refuses it by name; undefined if it accepts. */
export function invalidField(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "invalid_request") throw error;
    expect(error.message).toContain(`'${error.param}'`);
    return error.param;
  }
}
