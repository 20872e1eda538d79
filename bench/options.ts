import { parseArgs } from "node:util";

import type { ScenarioId } from "./scenarios.ts";
import type { TargetId } from "./targets/target.ts";

export interface Options {
  readonly quick: boolean;
  readonly json: boolean;
  readonly only: readonly ScenarioId[];
  readonly targets: readonly TargetId[];
}

const USAGE = `Usage: npm run bench -- [options]
  --quick                     half a minute instead of three minutes, and rougher
  --only unary,stream,translated,many
                              these scenarios
  --targets nginx,bare,seeing,sluice,portkey
                              these targets
  --json                      the results as one line of JSON as well
`;

const SCENARIO_IDS: readonly ScenarioId[] = ["unary", "stream", "translated", "many"];
const TARGET_IDS: readonly TargetId[] = ["nginx", "bare", "seeing", "sluice", "portkey"];

/** Throws with a sentence, and how it is used, when an option or a name is not known. */
export function parseOptions(args: string[]): Options {
  try {
    return parse(args);
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : String(cause)}\n${USAGE}`, {
      cause,
    });
  }
}

function parse(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      only: { type: "string" },
      targets: { type: "string" },
    },
  });
  return {
    quick: values.quick,
    json: values.json,
    only: pick("--only", values.only, SCENARIO_IDS),
    targets: pick("--targets", values.targets, TARGET_IDS),
  };
}

/** In the order of `known`, whatever the order asked for. */
function pick<T extends string>(
  option: string,
  list: string | undefined,
  known: readonly T[],
): readonly T[] {
  if (list === undefined) return known;
  const names = new Set(list.split(",").map((name) => name.trim()));
  const found = known.filter((name) => names.delete(name));
  if (names.size > 0 || found.length === 0) {
    throw new Error(`${option} knows ${known.join(", ")}, not "${[...names].join(", ")}".`);
  }
  return found;
}
