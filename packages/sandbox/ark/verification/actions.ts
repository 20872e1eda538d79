import type { Action } from "../control/call.ts";
import { notFound } from "../control/error.ts";
import { readUrl } from "../control/read-url.ts";
import { ApiError } from "@sluice/sandbox/openai/error.ts";
import { ownerIn } from "../account.ts";
import { field, readText, required } from "@sluice/sandbox/openai/fields.ts";
import { H5_PATH } from "./page.ts";
import type { SessionTable } from "./session-table.ts";

/** Sessions in which a person is verified, and the group that comes of it. */
export function verificationActions(sessions: SessionTable) {
  return {
    CreateVisualValidateSession({ body, place, origin }) {
      const callbackUrl = readUrl(body, "CallbackURL");
      const { token } = sessions.open(place, callbackUrl);
      return {
        BytedToken: token,
        H5Link: `${origin}/ark${H5_PATH}${token}?lng=zh`,
        CallbackURL: callbackUrl,
      };
    },
    GetVisualValidateResult({ body, place }) {
      const token = required(field(body, "BytedToken"), readText(field(body, "BytedToken")));
      const session = sessions.find(token);
      const isKnown = session !== undefined && ownerIn(session.place) === ownerIn(place);
      if (!isKnown || session.isUsed || !sessions.isKept(session))
        throw notFound("BytedToken", token);
      if (session.outcome === "denied")
        throw refused("ValidateFailed", "The verification has failed.");
      if (session.groupId === undefined) {
        if (!sessions.isOpen(session)) throw notFound("BytedToken", token);
        throw refused("ValidateNotReady", "The verification is not finished.");
      }
      sessions.use(session);
      return { GroupId: session.groupId };
    },
  } satisfies Readonly<Record<string, Action>>;
}

/** What the vendor calls it is not documented; these are the words of those who pass its answers on. */
function refused(code: string, message: string): ApiError {
  return new ApiError(404, { code, message });
}
