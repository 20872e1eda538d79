import type { CallNames, CallRecord, CallScope } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { showCall, showCallWhole, showMembersCall } from "./call-json.ts";

/** The calls that a user sees, and their form. */
export interface CallView {
  readonly scope: CallScope;
  readonly show: (call: CallRecord, names: CallNames) => JsonObject;
}

export const AUDITORS_VIEW: CallView = { scope: {}, show: showCallWhole };

export function ownView({ id: userId }: User): CallView {
  return { scope: { userId }, show: showCall };
}

export function teamView({ teamId, isTeamOwner }: User): CallView {
  if (teamId !== undefined && isTeamOwner === true) {
    return { scope: { teamId }, show: showMembersCall };
  }
  throw new GatewayError("not_found", "You own no team. An admin can make you an owner of yours.");
}
