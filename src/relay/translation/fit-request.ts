import type { LossReport } from "#core/lossy.ts";
import type { BodyEdits } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import type { WireRoute } from "../routing/route.ts";

/** Edits to an outgoing body so that the route's model and vendor accept it. */
export function fitRequest(
  body: JsonObject,
  { endpoint, traits }: Pick<WireRoute, "endpoint" | "traits">,
  report: LossReport,
  dropsMisplaced = false,
): BodyEdits {
  const { dialect, style } = endpoint;
  const context = {
    report,
    model: traits,
    dropsMisplaced,
    ...(dialect === undefined ? {} : { dialect }),
  };
  return style.outbound.fitRequest?.(body, context) ?? NO_EDITS;
}

const NO_EDITS: BodyEdits = {};
