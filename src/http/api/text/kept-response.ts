import { GatewayError } from "#core/error.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import type { Sink } from "#lib/push-stream.ts";
import { readEvents } from "#lib/sse.ts";
import { textOf } from "#lib/values.ts";
import type { Outlet } from "./generate.ts";

/** How a stream of this style ends; one of these names stands in its last piece. */
const ENDINGS = ["response.completed", "response.incomplete"];

/**
 * Hands over the response object of an answer before its last byte leaves, so
 * that whoever has seen a response whole can go on from it.
 */
export function keepingResponse(keep: (response: JsonObject) => Promise<void>): Outlet {
  return {
    async whole({ body }) {
      const json = parseJson(asText(body));
      if (isObject(json)) await keep(json);
    },

    async stream(answer, sink) {
      return await answer.send({ write: (piece) => writeKept(piece, sink, keep) });
    },
  };
}

function writeKept(
  piece: Uint8Array | string,
  sink: Sink,
  keep: (response: JsonObject) => Promise<void>,
): void | Promise<void> {
  const isEnd = ENDINGS.some((name) =>
    typeof piece === "string"
      ? piece.includes(name)
      : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).includes(name),
  );
  const response = isEnd ? finalResponse(asText(piece)) : undefined;
  if (response === undefined) return sink.write(piece);
  return keep(response).then(() => sink.write(piece));
}

function finalResponse(piece: string): JsonObject | undefined {
  for (const { data } of readEvents(piece)) {
    const json = parseJson(data);
    if (!isObject(json) || !ENDINGS.includes(textOf(json["type"]) ?? "")) continue;
    if (isObject(json["response"])) return json["response"];
  }
  return undefined;
}

function asText(body: Uint8Array | string): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

export function responseNotFound(id: string): GatewayError {
  return new GatewayError("not_found", `Response with id '${id.slice(0, 128)}' not found.`);
}
