import type { Place } from "../account.ts";
import type { Json, JsonObject } from "@sluice/sandbox/json.ts";

/** A request to the control plane, whose signature is good. */
export interface Call {
  readonly body: JsonObject;
  readonly place: Place;
  /** Where the caller reaches the sandbox. */
  readonly origin: string;
}

export type Action = (call: Call) => Json;
