import type { LossReport } from "#core/lossy.ts";
import type { BodyEdits, OutboundContext } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import type { WireRoute } from "../routing/route.ts";

/** Edits to an outgoing body so that the route's model and vendor accept it. */
export function fitRequest(
  body: JsonObject,
  { endpoint, traits }: Pick<WireRoute, "endpoint" | "traits">,
  report: LossReport,
  dropsMisplaced = false,
): BodyEdits {
  const { dialect } = endpoint;
  const context =
    dialect === undefined
      ? { report, dropsMisplaced, model: traits }
      : { report, dropsMisplaced, model: traits, dialect };
  return endpoint.style.outbound.fitRequest?.(body, context) ?? NO_EDITS;
}

/** The route's model and the dialect of its vendor, as styles ask for them. */
export function targetOf({
  endpoint: { dialect },
  traits,
}: Pick<WireRoute, "endpoint" | "traits">): Pick<OutboundContext, "model" | "dialect"> {
  return { model: traits, ...(dialect === undefined ? {} : { dialect }) };
}

const NO_EDITS: BodyEdits = {};
