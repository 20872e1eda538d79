import type { Prompt } from "../engine/prompt.ts";
import type { JsonObject } from "../json.ts";
import { executeCode } from "./code-execution.ts";
import type { OfferedTool } from "./tools.ts";
import { fetchPage } from "./web-fetch.ts";
import { searchWeb } from "./web-search.ts";

/** The result of a tool that the vendor runs. */
export interface ServerRun {
  /** The tool's name in the call, which is not always that of the offer. */
  readonly name: string;
  readonly input: JsonObject;
  readonly resultType: string;
  readonly result: JsonObject | readonly JsonObject[];
  /** Text that the model can use afterwards, with its source. */
  readonly findings: readonly Finding[];
  readonly usesContainer: boolean;
}

export interface Finding {
  readonly text: string;
  readonly citation: JsonObject | undefined;
}

export interface RunContext {
  readonly prompt: Prompt;
  /** How often this tool has run in this answer. */
  readonly uses: number;
  readonly nowMs: number;
}

/** Runs the tool as far as a sandbox can: nothing is fetched, everything is invented, and the same every time. */
export function runServerTool(
  offered: OfferedTool,
  input: JsonObject,
  context: RunContext,
): ServerRun {
  switch (offered.tool.name) {
    case "web_search":
      return searchWeb(offered.limits, input, context);
    case "web_fetch":
      return fetchPage(offered.limits, input, context);
    default:
      return executeCode(offered.serverType ?? "", context);
  }
}
