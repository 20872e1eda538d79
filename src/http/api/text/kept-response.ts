import { GatewayError } from "#core/error.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import type { Sink } from "#lib/push-stream.ts";
import { readEvents } from "#lib/sse.ts";
import { viewOf } from "#lib/sse-bytes.ts";
import { textOf } from "#lib/values.ts";
import type { Outlet } from "./generate.ts";

/** The names of a stream's final events in this style. */
const ENDINGS = ["response.completed", "response.incomplete"];

/**
 * Stores the response object before its last byte is sent, so that a client that has received a
 * whole response can continue it.
 */
export function keepingResponse(keep: (response: JsonObject) => Promise<void>): Outlet {
  return {
    async whole({ body }) {
      const json = parseJson(asText(body));
      if (isObject(json)) await keep(json);
    },

    async stream(answer, sink) {
      const keeping = new KeepingSink(sink, keep);
      const isWhole = await answer.send(keeping);
      await keeping.flush();
      return isWhole;
    },
  };
}

/** A long final event may arrive in several writes: the first of them waits for the last. */
class KeepingSink implements Sink {
  readonly #sink: Sink;
  readonly #keep: (response: JsonObject) => Promise<void>;
  readonly #decoder = new TextDecoder();
  #held = "";

  constructor(sink: Sink, keep: (response: JsonObject) => Promise<void>) {
    this.#sink = sink;
    this.#keep = keep;
  }

  write(piece: Uint8Array | string): void | Promise<void> {
    if (this.#held === "" && !mentionsEnding(piece)) return this.#sink.write(piece);
    this.#held += this.#decoder.decode(asBytes(piece), { stream: true });
    if (!EVENT_END.test(this.#held.slice(-4))) return undefined;
    const response = finalResponse(this.#held);
    return response === undefined ? this.flush() : this.#keep(response).then(() => this.flush());
  }

  flush(): void | Promise<void> {
    const held = this.#held;
    this.#held = "";
    return held === "" ? undefined : this.#sink.write(held);
  }
}

const EVENT_END = /(?:\n\n|\r\r|\r\n\r\n)$/;

function mentionsEnding(piece: Uint8Array | string): boolean {
  return ENDINGS.some((name) =>
    typeof piece === "string" ? piece.includes(name) : viewOf(piece).includes(name),
  );
}

function asBytes(piece: Uint8Array | string): Uint8Array {
  return typeof piece === "string" ? Buffer.from(piece) : piece;
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
