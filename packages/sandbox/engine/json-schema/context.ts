import type { PromptValues } from "../prompt-values.ts";
import type { Random } from "../random.ts";
import type { Field, ValuePicker } from "../value-picker.ts";
import type { Json } from "@sluice/sandbox/json.ts";
import type { Checks } from "./matches.ts";

/** What every part of the generator needs to know about the whole. */
export interface Context {
  readonly root: Json;
  /** `needed` omits optional fields that the prompt does not name. */
  readonly fill: "needed" | "all";
  readonly picker: ValuePicker;
  readonly values: PromptValues;
  readonly random: Random;
  readonly depth: number;
  /** How many alternatives were chosen on the way here, which make no value deeper. */
  readonly choices: number;
  readonly budget: { nodes: number };
  readonly checks: Checks;
  /** The generator itself, for the parts of a value. */
  generate(node: Json, field: Field, context: Context): Json;
}

export const MAX_NODES = 20_000;

/** From here on a recursive schema gets its smallest value. */
const COMFORTABLE_DEPTH = 4;

/** Whether a recursive schema should come to its end. */
export function isDeep(context: Context): boolean {
  return context.depth >= COMFORTABLE_DEPTH || context.budget.nodes < MAX_NODES / 2;
}

export function deeper(context: Context): Context {
  return { ...context, depth: context.depth + 1 };
}
