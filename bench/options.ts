import { parseArgs } from "node:util";

import { TARGET_IDS } from "./targets/index.ts";

export interface Options {
  readonly quick: boolean;
  readonly rounds: number;
  /** Where the results are written as JSON. */
  readonly jsonPath: string | undefined;
  readonly only: readonly string[];
  readonly targets: readonly string[];
  /** What is done instead of the comparison. */
  readonly mode: "compare" | "ladder" | "profile" | "allocations";
}

const usage = (scenarioIds: readonly string[]): string => `Usage: npm run bench -- [options]
  --quick            a tenth of the time, and rougher
  --rounds N         rounds of each scenario; 3 if left out
  --only A,B         these scenarios: ${scenarioIds.join(", ")}
  --targets A,B      these targets: ${TARGET_IDS.join(", ")}
  --json FILE        writes the results as JSON
  --ladder           the cost of each duty of a call; --targets names rungs
  --profile          the functions that take the gateway's time, instead of a comparison
  --allocations      the kinds of objects that calls allocate, instead of a comparison
`;

/** Throws with a sentence, and how it is used, when an option or a name is not known. */
export function parseOptions(
  args: string[],
  scenarioIds: readonly string[],
  rungIds: readonly string[],
): Options {
  try {
    return parse(args, scenarioIds, rungIds);
  } catch (cause) {
    throw new Error(
      `${cause instanceof Error ? cause.message : String(cause)}\n${usage(scenarioIds)}`,
      { cause },
    );
  }
}

function parse(
  args: string[],
  scenarioIds: readonly string[],
  rungIds: readonly string[],
): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string", default: "3" },
      json: { type: "string" },
      only: { type: "string" },
      targets: { type: "string" },
      ladder: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      allocations: { type: "boolean", default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error("--rounds is a number above 0.");
  const isProfile = values.profile || values.allocations;
  const targetIds = [
    ...(values.ladder ? [] : TARGET_IDS),
    ...(values.ladder || isProfile ? rungIds : []),
  ];
  return {
    quick: values.quick,
    rounds,
    jsonPath: values.json,
    only: pick("--only", values.only, scenarioIds),
    targets: pick("--targets", values.targets, targetIds),
    mode: modeOf(values),
  };
}

function modeOf(
  asked: Readonly<Record<"ladder" | "profile" | "allocations", boolean>>,
): Options["mode"] {
  if (asked.ladder) return "ladder";
  if (asked.profile) return "profile";
  return asked.allocations ? "allocations" : "compare";
}

/** In the order of `known`, whatever the order asked for. */
function pick(
  option: string,
  list: string | undefined,
  known: readonly string[],
): readonly string[] {
  if (list === undefined) return known;
  const names = new Set(list.split(",").map((name) => name.trim()));
  const found = known.filter((name) => names.delete(name));
  if (names.size > 0 || found.length === 0) {
    throw new Error(`${option} knows ${known.join(", ")}, not "${[...names].join(", ")}".`);
  }
  return found;
}
