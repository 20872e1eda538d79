import type { Buffer } from "node:buffer";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { eventsIn } from "#lib/sse-bytes.ts";

/**
 * Looks for the first content of a stream, behind comments and whatever any
 * answer begins with. Events are parsed until it is found, and not after that.
 */
export class FirstContent {
  readonly #holdsContent: (body: Json, type: string) => boolean;
  isFound = false;

  /** `type`: the name of the event, empty if it has none. */
  constructor(holdsContent: (body: Json, type: string) => boolean) {
    this.#holdsContent = holdsContent;
  }

  /** Whole events. True if the first content is in them, or came before. */
  look(events: Buffer): boolean {
    if (this.isFound) return true;
    for (const bytes of eventsIn(events)) {
      const [event] = readEvents(bytes.toString());
      const json = parseJson(event?.data ?? "");
      if (json === undefined || !this.#holdsContent(json, event?.event ?? "")) continue;
      this.isFound = true;
      break;
    }
    return this.isFound;
  }
}

/** Whether a value says anything: servers send empty texts, lists and objects before they have any content. */
export function isSaid(value: Json | undefined): boolean {
  if (typeof value === "string") return value !== "";
  if (isArray(value)) return value.some(isSaid);
  return isObject(value) && Object.values(value).some(isSaid);
}

/** The same for all members but those named. */
export function saysBeside(object: JsonObject, unsaid: readonly string[]): boolean {
  return Object.entries(object).some(([name, value]) => !unsaid.includes(name) && isSaid(value));
}
