import { isArray, type Json } from "#lib/json.ts";

/** The system prompt with one more instruction at its end. */
export function withInstruction(
  system: Json | undefined,
  instruction: string | undefined,
): Json | undefined {
  if (instruction === undefined) return system;
  if (system === undefined || system === "") return instruction;
  if (isArray(system)) return [...system, { type: "text", text: instruction }];
  return typeof system === "string" ? `${system}\n\n${instruction}` : system;
}
