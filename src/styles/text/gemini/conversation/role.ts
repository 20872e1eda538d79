import type { Json } from "#lib/json.ts";

/** Whose turn a content is; the vendor's own samples write roles in capitals, too. */
export function isModelRole(role: Json | undefined): boolean {
  return typeof role === "string" && role.toLowerCase() === "model";
}
