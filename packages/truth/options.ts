import { parseArgs } from "node:util";
import { EXPERIMENTS } from "./experiments/all.ts";
import { ADAPTERS } from "./adapters/all.ts";

export interface Options {
  readonly gateway: string;
  /** A module that exports `adapter`, in place of a named gateway. */
  readonly adapterPath?: string;
  readonly program?: readonly string[];
  readonly database?: string;
  readonly scale: number;
  readonly only: readonly string[];
  readonly jsonPath?: string;
}

/** Share of each experiment's calls that a quick run makes. */
const QUICK = 0.1;

export const HELP = `gateway-truth: does a gateway charge for what it delivered, and what happens when things break?

Usage: gateway-truth [--gateway NAME | --adapter FILE] [--program "COMMAND"] [--database URL]
                     [--quick] [--only NAME,NAME] [--json FILE]

It starts the gateway itself, with a simulated vendor, on loopback, in a folder of its own.
The exit code is 0 if every rule holds, 1 if one does not, and 2 if nothing could be run.

  --gateway    ${Object.keys(ADAPTERS).join(", ")} (sluice if absent)
  --adapter    a module that exports \`adapter\`, such as a copy of adapters/template.ts
  --program    the command that starts the gateway, split at spaces
  --database   an empty database for gateways that need one
  --quick      a tenth of the calls; the rules are the same
  --only       ${EXPERIMENTS.map(({ id }) => id).join(", ")}
  --json       writes all figures to a file

Gateways:
${Object.values(ADAPTERS)
  .map(({ id, note, needs }) => `  ${id}: ${note}\n    Needs ${needs}`)
  .join("\n")}
`;

/** Throws an error that says what to do about a wrong argument. */
export function optionsIn(args: readonly string[]): Options | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      gateway: { type: "string", default: "sluice" },
      adapter: { type: "string" },
      program: { type: "string" },
      database: { type: "string" },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const { gateway, adapter, program, database, quick, only, json } = values;
  if (ADAPTERS[gateway] === undefined) {
    throw new Error(
      `There is no gateway '${gateway}'. Use one of ${Object.keys(ADAPTERS).join(", ")}.`,
    );
  }
  const ids = EXPERIMENTS.map(({ id }) => id);
  const picked = only?.split(",") ?? ids;
  const unknown = picked.filter((each) => !ids.includes(each));
  if (unknown.length > 0) {
    throw new Error(
      `There is no experiment '${unknown.join(", ")}'. Use some of ${ids.join(", ")}.`,
    );
  }
  return {
    gateway,
    scale: quick ? QUICK : 1,
    only: picked,
    ...(adapter === undefined ? {} : { adapterPath: adapter }),
    ...(program === undefined ? {} : { program: program.split(" ").filter((word) => word !== "") }),
    ...(database === undefined ? {} : { database }),
    ...(json === undefined ? {} : { jsonPath: json }),
  };
}
