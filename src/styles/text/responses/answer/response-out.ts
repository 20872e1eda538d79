import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { ResponseWriter } from "./response-writer.ts";

/** The last event's response, without the events before it. */
export function buildResponse(events: readonly ChatEvent[], request: ChatRequest): JsonObject {
  const writer = new ResponseWriter(request, () => {});
  for (const event of events) if (isOfFirst(event)) writer.write(event);
  return writer.end();
}

/** There is one answer in this style. */
export function isOfFirst(event: ChatEvent): boolean {
  return !("choice" in event) || event.choice === 0;
}
