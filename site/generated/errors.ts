import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { code, table } from "./table.ts";

interface Advice {
  readonly meaning: string;
  readonly remedy: string;
}

/** A code without its row does not compile. */
const ADVICE: Readonly<Record<FaultCode, Advice>> = {
  invalid_request: {
    meaning: "The body, a field or a parameter is not valid; `param` names the field.",
    remedy: "Correct the field that the message names.",
  },
  not_carried: {
    meaning: "The request needs a field that the upstream's style cannot carry.",
    remedy:
      "Remove the field, choose a model whose vendor knows it, or send no `sluice-strict` header.",
  },
  context_length_exceeded: {
    meaning: "The prompt and the requested output exceed the context of the model.",
    remedy:
      "Shorten the conversation, lower `max_tokens`, or choose a model with a longer context.",
  },
  content_filtered: {
    meaning: "The vendor's filter refused the prompt.",
    remedy: "Change the prompt. Another vendor may decide otherwise.",
  },
  upstream_rejected: {
    meaning: "The vendor refused the request for a reason of the request itself.",
    remedy: "Read the message; the call log has the vendor's reason for admins.",
  },
  upstream_forbidden: {
    meaning: "The vendor forbids this request.",
    remedy: "Check whether the vendor's account may use the model or file.",
  },
  upstream_not_found: {
    meaning: "The vendor knows no such object, such as a file or a stored response.",
    remedy: "Create the object again; it may have expired or belong to another account.",
  },
  unauthenticated: {
    meaning: "The request has no valid key, session or access token.",
    remedy: "Send the key as `Authorization: Bearer`, `x-api-key` or `x-goog-api-key`.",
  },
  out_of_quota: {
    meaning: "A quota or budget of the key, user or team does not cover the call.",
    remedy:
      "Raise the quota or budget, or lower `max_tokens`. A budget starts anew with its period.",
  },
  forbidden: {
    meaning: "The key, role or scope does not allow this.",
    remedy: "Use a key that allows the model and endpoint, or a user with the role.",
  },
  not_found: {
    meaning: "The path or object does not exist, or belongs to another user.",
    remedy: "Check path and id. The message suggests a similar path.",
  },
  model_not_found: {
    meaning: "No channel serves the model, or the key does not allow it.",
    remedy: "Ask `GET /v1/models` with the same key, or add the model to a channel.",
  },
  method_not_allowed: {
    meaning: "The path exists for other methods, which `Allow` lists.",
    remedy: "Use one of these methods.",
  },
  request_timeout: {
    meaning: "The client sent its body too slowly.",
    remedy: "Send the request again over a faster connection.",
  },
  still_running: {
    meaning: "A request with the same idempotency key still runs.",
    remedy: "Wait, then send the request again with the same key.",
  },
  answer_not_kept: {
    meaning:
      "A request with this idempotency key was answered and charged, but its answer is not stored.",
    remedy: "Look the call up in the log. Another key repeats it, and charges it again.",
  },
  revision_outdated: {
    meaning: "Another change came first.",
    remedy: "Read the object again, and send the change with its new `revision`.",
  },
  plan_outdated: {
    meaning: "The state changed since the plan was made.",
    remedy: "Make a new plan, check it, and apply that.",
  },
  content_gone: {
    meaning: "The file has expired at its vendor, and no copy is stored.",
    remedy: "Create it again. Copies of videos can be switched on with `media.store`.",
  },
  too_large: {
    meaning: "The body exceeds a limit.",
    remedy: "Send less; the message names the limit and its setting.",
  },
  range_not_satisfiable: {
    meaning: "The requested range is outside of the file.",
    remedy: "Ask for a range within the file's length.",
  },
  unsupported_media_type: {
    meaning: "The content type or encoding of the body is not one that the route reads.",
    remedy: "Send `application/json`, or the type that the message names.",
  },
  key_reused: {
    meaning: "The idempotency key was used with another body.",
    remedy: "Use a new idempotency key for each different request.",
  },
  upgrade_refused: {
    meaning: "The path serves WebSockets, and the request asks for none or for another version.",
    remedy: "Open a WebSocket, or use the same path with `POST`.",
  },
  rate_limited: {
    meaning: "A rate limit of the key, user, group or team is exceeded.",
    remedy: "Wait as long as `Retry-After` says, or raise the limit.",
  },
  canceled: {
    meaning: "The client closed the connection before the answer.",
    remedy: "Nothing. The call is charged for the tokens that were delivered.",
  },
  internal: {
    meaning: "A defect of the gateway.",
    remedy: "Report it with the request id; the log has the cause.",
  },
  upstream_refused: {
    meaning: "The vendor refused access. The account or the request may be the reason.",
    remedy: "Check the account at the vendor, and the prompt.",
  },
  upstream_denied: {
    meaning: "The vendor does not let the account use the model, or its balance is used up.",
    remedy: "Check balance and access at the vendor; `sluice channels list` has the reason.",
  },
  upstream_auth: {
    meaning: "The vendor refuses the channel's credential.",
    remedy: "Give the channel a valid credential.",
  },
  upstream_model_missing: {
    meaning: "The vendor does not serve the model under the configured name.",
    remedy: "Correct `upstream` of the model in the channel.",
  },
  upstream_rate_limited: {
    meaning: "The vendor's rate limit is reached on every credential.",
    remedy: "Wait as long as `Retry-After` says, or add credentials or channels.",
  },
  upstream_unreachable: {
    meaning: "No connection to the vendor: name, network, TLS or proxy.",
    remedy: "Run `sluice channels test`, and check address, firewall and proxy.",
  },
  upstream_failed: {
    meaning: "The vendor answered with a server error or with an answer that is no answer.",
    remedy: "Retry. Add a second channel, so that the gateway does so.",
  },
  upstream_overloaded: {
    meaning: "The vendor is overloaded.",
    remedy: "Retry later, or add channels.",
  },
  upstream_timeout: {
    meaning: "The vendor did not begin or finish its answer in time.",
    remedy: "Retry, or raise `limits.first_byte_ms` or `limits.total_ms`.",
  },
  overloaded: {
    meaning: "The gateway is at a limit of its own, such as memory for bodies or open calls.",
    remedy: "Wait as long as `Retry-After` says; see sizing.",
  },
  unavailable: {
    meaning: "All channels of the model are in cooldown or full, or the gateway drains.",
    remedy: "Retry after `Retry-After`. `sluice doctor` shows the state of each channel.",
  },
};

const BLAME = {
  client: "client",
  operator: "operator",
  upstream: "vendor",
  gateway: "gateway",
} as const;

const NEXT = {
  stop: "nothing else",
  once: "one other channel",
  credential: "other credentials, then other channels",
  channel: "other channels",
} as const;

/** All errors, in the order of their status. */
export function renderErrors(): string {
  const codes = (Object.keys(FAULTS) as FaultCode[]).toSorted(
    (one, other) => FAULTS[one].status - FAULTS[other].status,
  );
  return table(
    ["Code", "Status", "In chat answers", "Side", "Meaning", "What to do", "The gateway tries"],
    codes.map((each) => {
      const { status, blame, next } = FAULTS[each];
      const { meaning, remedy } = ADVICE[each];
      const shown = code(chatCodeOf(each));
      return [code(each), String(status), shown, BLAME[blame], meaning, remedy, NEXT[next]];
    }),
  );
}

function chatCodeOf(each: FaultCode): string {
  return textOf(memberOf(buildError(new GatewayError(each, ""))["error"], "code")) ?? "";
}
