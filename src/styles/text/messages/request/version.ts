import type { LossReport } from "#core/lossy.ts";
import type { BodyEdits } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";

/** Takes everything that vendors of the style ever took. */
export const BASE_VERSION = "2023-06-01";
/** Refuses sampling, documents of the assistant, and citations in what the user says. */
export const NEWEST_VERSION = "2026-10-21";

const SAMPLING = ["temperature", "top_p", "top_k"] as const;

/** The newest version that takes a body as it is. */
export function newestVersionFor(body: JsonObject): string {
  const { edits } = fitted(body);
  for (const _ in edits) return BASE_VERSION;
  return NEWEST_VERSION;
}

/** Members to change so that the newest version takes a body. */
export function fitNewestVersion(body: JsonObject, report?: LossReport): BodyEdits {
  const { edits, lost } = fitted(body);
  for (const name of lost) report?.lose(name);
  return edits;
}

function fitted(body: JsonObject): { edits: BodyEdits; lost: readonly string[] } {
  const edits: Record<string, Json | undefined> = {};
  const lost = new Set<string>();
  for (const name of SAMPLING) {
    if (body[name] === undefined) continue;
    edits[name] = undefined;
    // 1 is what models do anyway.
    if (body[name] !== 1 || name === "top_k") lost.add(name);
  }
  const messages = listOf(body["messages"]);
  const fit = messages.map((turn) => fitTurn(turn, lost));
  if (fit.some((turn, index) => turn !== messages[index])) edits["messages"] = fit;
  return { edits, lost: [...lost] };
}

function fitTurn(turn: Json, lost: Set<string>): Json {
  if (!isObject(turn) || !isArray(turn["content"])) return turn;
  const { role, content } = turn;
  if (role === "assistant") {
    const kept = content.filter((block) => !isObject(block) || block["type"] !== "document");
    if (kept.length === content.length) return turn;
    lost.add("messages.document");
    // A turn has to say something.
    return { ...turn, content: kept.length === 0 ? [{ type: "text", text: "..." }] : kept };
  }
  if (role !== "user" || !content.some(hasCitations)) return turn;
  lost.add("citations");
  return { ...turn, content: content.map(withoutCitations) };
}

function isCited(block: Json): boolean {
  return isObject(block) && block["type"] === "text" && listOf(block["citations"]).length > 0;
}

function hasCitations(block: Json): boolean {
  if (!isObject(block)) return false;
  return block["type"] === "search_result"
    ? listOf(block["content"]).some(isCited)
    : isCited(block);
}

function withoutCitations(block: Json): Json {
  if (!isObject(block) || !hasCitations(block)) return block;
  if (block["type"] === "search_result") {
    return { ...block, content: listOf(block["content"]).map(withoutCitations) };
  }
  const { citations: _, ...rest } = block;
  return rest;
}
