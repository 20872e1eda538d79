import { createHash } from "node:crypto";

/** The `traceparent` header of W3C Trace Context, version 00. */
interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const FORM = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const NO_TRACE = /^0+$/;

/** Undefined if the header is malformed; a new trace begins then. */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  const match = header === undefined ? null : FORM.exec(header);
  if (match === null) return undefined;
  const [, traceId = "", spanId = "", flags = ""] = match;
  if (NO_TRACE.test(traceId) || NO_TRACE.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/**
 * Ids follow from a name, so that none has to be kept while the work runs. All bits are uniform,
 * because samplers compare them with a ratio.
 */
export function traceIdOf(name: string): string {
  return digest(name).slice(0, 32);
}

export function spanIdOf(name: string, part: string): string {
  return digest(`${name} ${part}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
