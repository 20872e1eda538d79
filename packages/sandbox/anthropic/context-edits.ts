import { isJsonArray, type Json } from "../json.ts";
import { invalid } from "./error.ts";
import {
  field,
  inside,
  readBoolean,
  readInteger,
  readList,
  readObject,
  readTagged,
  readTexts,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";

/** The parts to remove from a long conversation. */
export type ContextEdit =
  | {
      readonly kind: "tool_uses";
      readonly trigger: { readonly type: "input_tokens" | "tool_uses"; readonly value: number };
      readonly keep: number;
      readonly clearAtLeastTokens: number;
      readonly excludedTools: readonly string[];
      /** Of which tools the arguments go with the results. */
      clearsInput(tool: string): boolean;
    }
  /** The sandbox's conversations are too short to be summarized. */
  | { readonly kind: "compaction" }
  /** `keep` turns with their thoughts, counted from the last. */
  | { readonly kind: "thinking"; readonly keep: number };

/** `undefined` where nothing was said, since then the answer does not speak of it either. */
export function readContextEdits(at: FieldValue, betas: Betas): readonly ContextEdit[] | undefined {
  if (at.value === undefined) return undefined;
  if (!betas.has("context-management-2025-06-27") && !betas.has(COMPACTS))
    throw invalid(at.path, "Extra inputs are not permitted");
  const management = required(at, readObject);
  refuseExtras(management, ["edits"], at.path);
  const list = readList(field(management, "edits", at.path)) ?? [];
  const edits = list.map((value, index) =>
    readEdit(value, inside(at.path, `edits.${index}`), betas),
  );
  if (edits.slice(1).some((edit) => edit.kind === "thinking"))
    throw invalid(inside(at.path, "edits"), "`clear_thinking_20251015` must be the first edit.");
  return edits;
}

const COMPACTS = "compact-2026-01-12";

function readEdit(value: Json, place: string, betas: Betas): ContextEdit {
  const { object, tag, path } = readTagged({ path: place, value }, [
    ...(betas.has(COMPACTS) ? (["compact_20260112"] as const) : []),
    "clear_thinking_20251015",
    "clear_tool_uses_20250919",
  ]);
  if (tag === "compact_20260112") {
    refuseExtras(object, ["type", "instructions", "pause_after_compaction", "trigger"], path);
    readCount(field(object, "trigger", path), ["input_tokens"]);
    return { kind: "compaction" };
  }
  if (tag === "clear_thinking_20251015") {
    refuseExtras(object, ["type", "keep"], path);
    if (object["keep"] === "all") return { kind: "thinking", keep: Infinity };
    return {
      kind: "thinking",
      keep: readCount(field(object, "keep", path), ["thinking_turns"], 1)?.value ?? 1,
    };
  }
  refuseExtras(
    object,
    ["type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"],
    path,
  );
  return {
    kind: "tool_uses",
    trigger: readCount(field(object, "trigger", path), ["input_tokens", "tool_uses"]) ?? {
      type: "input_tokens",
      value: 100_000,
    },
    keep: readCount(field(object, "keep", path), ["tool_uses"])?.value ?? 3,
    clearAtLeastTokens:
      readCount(field(object, "clear_at_least", path), ["input_tokens"])?.value ?? 0,
    excludedTools: readTexts(field(object, "exclude_tools", path)) ?? [],
    clearsInput: readClearInputs(field(object, "clear_tool_inputs", path)),
  };
}

function readCount<const Type extends string>(at: FieldValue, types: readonly Type[], least = 0) {
  if (at.value === undefined) return undefined;
  const { object, tag, path } = readTagged(at, types);
  refuseExtras(object, ["type", "value"], path);
  return {
    type: tag,
    value: required(field(object, "value", path), (each) => readInteger(each, least)),
  };
}

/** For all tools, for none, or for those named. */
function readClearInputs(at: FieldValue): (tool: string) => boolean {
  if (isJsonArray(at.value)) {
    const names = readTexts(at) ?? [];
    return (tool) => names.includes(tool);
  }
  const isCleared = readBoolean(at) ?? false;
  return () => isCleared;
}
