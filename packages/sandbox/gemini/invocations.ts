import { answerArithmetic } from "../engine/text/arithmetic.ts";
import { countTokens } from "../engine/tokens.ts";
import { asksForSearch, searchWeb } from "../engine/web-search.ts";
import type { JsonObject } from "../json.ts";
import { suggestionsPage } from "./grounding.ts";
import { newCallId } from "./ids.ts";
import type { Portion } from "./portions.ts";
import type { ToolSettings } from "./tools.ts";

/** What the vendor's own tools did for the answer, where that is told: code that was run, a search on request. */
export function invoke(
  tools: ToolSettings,
  asked: string,
  signature: string | undefined,
): readonly Portion[] {
  const seal = signature === undefined ? {} : { thoughtSignature: signature };
  const search = tools.searches && tools.showsInvocations && asksForSearch(asked);
  return [
    ...(search ? searchPortions(asked, seal) : []),
    ...(tools.runsCode ? codePortions(asked, seal) : []),
  ];
}

function searchPortions(asked: string, seal: JsonObject): readonly Portion[] {
  const common = { toolType: "GOOGLE_SEARCH_WEB", id: newCallId() };
  const { query } = searchWeb(asked);
  const response = { search_suggestions: suggestionsPage(query) };
  return [
    { part: { toolCall: { ...common, args: { queries: [query] } }, ...seal }, ...FREE },
    { part: { toolResponse: { ...common, response }, ...seal }, ...FREE },
  ];
}

const FREE = { thoughts: 0, answer: 0 };

/** The sandbox runs no code, but it knows what a sum comes to. */
function codePortions(asked: string, seal: JsonObject): readonly Portion[] {
  const [, sum, result] = sumIn(asked)?.match(/^(.*) = (.*)\.$/s) ?? [];
  if (sum === undefined || result === undefined) return [];
  const code = `result = ${sum.replaceAll("^", "**")}\nprint(f"{result=}")\n`;
  const output = `result=${result}\n`;
  return [
    {
      part: { executableCode: { language: "PYTHON", code }, ...seal },
      thoughts: 0,
      answer: countTokens(code),
    },
    { part: { codeExecutionResult: { outcome: "OUTCOME_OK", output } }, ...FREE },
  ];
}

function sumIn(gist: string): string | undefined {
  return answerArithmetic({ text: gist, gist, media: [], system: "", earlier: [], results: [] });
}
