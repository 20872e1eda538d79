import type { ChatEvent } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { ResponseReader } from "./response-reader.ts";

/** An answer in one piece: the end of a stream, with all of it still unsaid. */
export function parseResponse(body: JsonObject): readonly ChatEvent[] {
  return new ResponseReader().end(body);
}
