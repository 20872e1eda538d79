import type { GatewayError } from "#core/error.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { responses } from "#styles/text/responses/index.ts";

/**
 * A failure before a response started, or of the connection. `code`: the code for WebSocket clients
 * if it differs from the HTTP code of the same failure.
 */
export function errorMessage(error: GatewayError, lane?: string, code?: string): string {
  const { error: told } = responses.inbound.buildError(error);
  return JSON.stringify({
    type: "error",
    status: error.fault.status,
    error: { ...(isObject(told) ? told : {}), ...(code === undefined ? {} : { code }) },
    ...laneMember(lane),
  });
}

/**
 * Responses are translated and can fail over to other channels, so the input must be complete
 * before they start.
 */
export function steerRefusal(event: JsonObject): string {
  return JSON.stringify({
    type: "response.steer.failed",
    sequence_number: 0,
    error: {
      type: "invalid_request_error",
      code: "steering_not_supported",
      message: "A response cannot be steered here. Send the input with the next response.create.",
    },
    steer: {
      previous_response_id: event["previous_response_id"] ?? "",
      input: event["input"] ?? "",
    },
  });
}

/** A stream event as a WebSocket message, with its lane. */
export function eventMessage(data: string, lane: string | undefined): string {
  if (lane === undefined || !data.endsWith("}")) return data;
  return `${data.slice(0, -1)},"stream_id":${JSON.stringify(lane)}}`;
}

function laneMember(lane: string | undefined): JsonObject {
  return lane === undefined ? {} : { stream_id: lane };
}
