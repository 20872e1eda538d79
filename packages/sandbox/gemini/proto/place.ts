import { isJsonArray, type Json } from "@sluice/sandbox/json.ts";

/** The path of a value in a request, and all violations found so far. */
export interface Place {
  /** In snake case, from the request down: `generation_config.top_p`; empty for the request itself. */
  readonly path: string;
  /** The field as the caller wrote it, and the path of what it is a field of. */
  readonly name: string;
  readonly parent: string;
  readonly depth: number;
  readonly violations: Violation[];
}

interface Violation {
  readonly field: string;
  readonly description: string;
}

export function rootPlace(): Place {
  return { path: "", name: "", parent: "", depth: 0, violations: [] };
}

export function fieldAt(place: Place, written: string, snakeName: string): Place {
  const path = place.path === "" ? snakeName : `${place.path}.${snakeName}`;
  return { ...place, path, name: written, parent: place.path, depth: place.depth + 1 };
}

export function itemAt(place: Place, index: number): Place {
  return { ...place, path: `${place.path}[${index}]`, depth: place.depth + 1 };
}

/** An entry of a map, which the vendor numbers. */
export function entryAt(place: Place, index: number): Place {
  return { ...place, path: `${place.path}[${index}].value`, depth: place.depth + 1 };
}

export function rejectValue(place: Place, type: string, value: Json): undefined {
  return note(place, place.path, `Invalid value at '${place.path}' (${type}), ${shown(value)}`);
}

export function rejectName(place: Place, reason: string): undefined {
  const where = place.parent === "" ? "" : ` at '${place.parent}'`;
  return note(
    place,
    place.parent,
    `Invalid JSON payload received. Unknown name "${place.name}"${where}: ${reason}`,
  );
}

export function rejectOneOf(place: Place, group: string, second: string): undefined {
  return note(
    place,
    place.path,
    `Invalid value at '${place.path}' (oneof), oneof field '${group}' is already set. Cannot set '${second}'`,
  );
}

export function rejectBase64(place: Place, value: string): undefined {
  const reason = JSON.stringify(`Base64 decoding failed for "${cut(value)}"`);
  return note(place, place.path, `Invalid value at '${place.path}' (TYPE_BYTES), ${reason}`);
}

/** A request with a thousand mistakes is told the first of them. */
const MAX_VIOLATIONS = 20;

function note({ violations }: Place, field: string, description: string): undefined {
  if (violations.length < MAX_VIOLATIONS) violations.push({ field, description });
  return undefined;
}

function shown(value: Json): string {
  if (isJsonArray(value)) return "an array";
  return cut(JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
