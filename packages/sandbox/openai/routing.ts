import type { VendorRequest } from "../vendor.ts";
import type { Reply } from "../wire/reply.ts";
import { ApiError } from "./error.ts";

/** Answers one method, and refuses the others. */
export function only<Answer extends Reply | Promise<Reply>>(
  wanted: string,
  { method, path }: VendorRequest,
  answer: () => Answer,
): Answer {
  if (method === wanted) return answer();
  throw new ApiError(405, {
    message: `Not allowed to ${method} on ${path}.`,
    code: "method_not_supported",
  });
}

export function checkContentType({ headers }: VendorRequest): void {
  const type = headers["content-type"];
  if (type !== undefined && /^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return;
  throw new ApiError(415, {
    message: `Unsupported content type: '${type ?? ""}'. This endpoint needs 'application/json'.`,
    code: "unsupported_content_type",
  });
}

/** A part of a path as it was meant; as it stands where the escapes are broken. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
