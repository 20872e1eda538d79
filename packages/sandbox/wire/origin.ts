import type { VendorRequest } from "../vendor.ts";

/** Where the caller reached the sandbox: links that are answered point there. */
export function originOf({ headers }: Pick<VendorRequest, "headers">): string {
  return `http://${headers["host"] ?? "127.0.0.1"}`;
}
