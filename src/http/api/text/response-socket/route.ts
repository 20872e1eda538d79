import { GatewayError } from "#core/error.ts";
import { responses } from "#styles/text/responses/index.ts";
import type { SocketDeps } from "#http/deps/sockets.ts";
import { SIMULATED_HEADER } from "#http/api/status.ts";
import type { Endpoint } from "#http/routes.ts";
import { ResponseSocket } from "./response-socket.ts";

/** Handles GET on this path: a request that is not an upgrade is told to use POST. */
export const openResponseSocket: Endpoint<SocketDeps> = {
  operationId: "openResponseSocket",
  tag: "Text",
  answer: { status: 101, description: "The connection is a WebSocket.", content: {} },
  method: "GET",
  path: "/v1/responses",
  access: "key",
  family: "text",
  summary: "Opens a WebSocket for successive responses, each requested with `response.create`.",
  onlyRefuses: true,
  renderError: (error) => responses.inbound.buildError(error),
  handle(exchange, deps) {
    if (exchange.request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      exchange.announce({ allow: "POST" });
      throw new GatewayError(
        "method_not_allowed",
        "Method not allowed: GET /v1/responses. This path takes POST, and GET to open a WebSocket.",
      );
    }
    const socket = new ResponseSocket(exchange, deps);
    deps.sockets.refuseMore(socket.keyId, deps.limits.keySockets);
    const simulated = deps.channelRegistry.isSimulated ? { [SIMULATED_HEADER]: "true" } : {};
    return exchange.upgrade(socket, { "x-request-id": exchange.id, ...simulated });
  },
};
