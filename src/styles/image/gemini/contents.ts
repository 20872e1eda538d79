import { invalid } from "#core/error.ts";
import { base64Of, type ImageTurn, type Picture } from "#core/image.ts";
import type { JsonObject } from "#lib/json.ts";

/** One image is edited; several are combined. */
const MAX_PICTURES = 5;

/**
 * The conversation as turns. If the model requires signatures on its own earlier turns, they are
 * sent as user turns.
 */
export function buildContents(
  turns: readonly ImageTurn[],
  provesTurns: boolean,
): readonly JsonObject[] {
  const contents: { role: ImageTurn["role"]; parts: JsonObject[] }[] = [];
  for (const turn of turns) {
    const { parts } = turn;
    const given = parts.filter((part) => typeof part !== "string").length;
    if (turn.role === "user" && given > MAX_PICTURES) throw tooMany(given);
    const role = provesTurns ? "user" : turn.role;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts.map(buildPart));
    else if (parts.length > 0) contents.push({ role, parts: parts.map(buildPart) });
  }
  return contents;
}

function tooMany(given: number): Error {
  return invalid(
    "image",
    `'image' may be given 1 time for an edit, or 2 to ${MAX_PICTURES} times to be combined; the request has ${given}.`,
  );
}

function buildPart(part: string | Picture): JsonObject {
  if (typeof part === "string") return { text: part };
  switch (part.kind) {
    case "base64":
    case "bytes":
      return { inlineData: { mimeType: part.mediaType, data: base64Of(part) } };
    case "url":
      return { fileData: { fileUri: part.url } };
    case "reference":
      throw invalid("image", "'image' refers to a file that another vendor stores.");
  }
}
