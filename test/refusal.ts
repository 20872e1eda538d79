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
