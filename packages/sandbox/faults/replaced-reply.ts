import type { Vendor } from "../vendor.ts";
import { jsonReply, textReply, type Reply } from "../wire/reply.ts";
import type { Faults } from "./faults.ts";

/** The reply that takes the place of the vendor's own, where a fault asks for one. */
export function replacedReply(
  faults: Faults,
  vendor: Pick<Vendor, "errorBody">,
  path: string,
): Reply | undefined {
  const { redirect, status, error200, page200 } = faults;
  if (redirect)
    return { ...textReply(redirect.code, "", "text/plain"), headers: { location: redirect.to } };
  if (error200)
    return jsonReply(
      200,
      vendor.errorBody({ status: 500, code: error200.error, message: error200.message }, path),
    );
  if (page200) return textReply(200, gatewayPage(200), "text/html");
  if (!status) return undefined;

  const reply = status.html
    ? textReply(status.code, gatewayPage(status.code), "text/html")
    : jsonReply(
        status.code,
        vendor.errorBody(
          {
            status: status.code,
            code: status.error,
            message: status.message,
            ...(status.retry_after === undefined ? {} : { retryAfterSeconds: status.retry_after }),
          },
          path,
        ),
      );
  return { ...reply, headers: { ...reply.headers, ...waitHeaders(status) } };
}

function waitHeaders({
  retry_after,
  retry_after_ms,
}: NonNullable<Faults["status"]>): Record<string, string> {
  return {
    ...(retry_after === undefined ? {} : { "retry-after": String(retry_after) }),
    ...(retry_after_ms === undefined ? {} : { "retry-after-ms": String(retry_after_ms) }),
  };
}

/** The response of a proxy in front of an unavailable vendor. */
function gatewayPage(code: number): string {
  return `<!DOCTYPE html>\n<html><head><title>${code}</title></head><body><h1>Error ${code}</h1><hr>edge proxy</body></html>\n`;
}
