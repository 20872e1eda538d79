import type { GatewayError } from "#core/error.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { responses } from "#styles/text/responses/index.ts";

/**
 * A failure before a response began, or of the connection. `code`: what clients
 * of WebSockets know it by, if that is not the code of the same failure over HTTP.
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

/** Responses are translated and fail over to other channels, so their input is whole before they begin. */
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

/** An event of a stream as a message, with the lane that it belongs to. */
export function eventMessage(data: string, lane: string | undefined): string {
  if (lane === undefined || !data.endsWith("}")) return data;
  return `${data.slice(0, -1)},"stream_id":${JSON.stringify(lane)}}`;
}

function laneMember(lane: string | undefined): JsonObject {
  return lane === undefined ? {} : { stream_id: lane };
}
