import type { Program } from "./channel-types.ts";

interface BuiltIn {
  readonly ratio: number;
  /** It outranks the ratio of the options. */
  readonly isFixed: boolean;
}

type Rule = readonly [name: RegExp, ratio: number, isFixed?: "fixed"];

/**
 * The ratios of output to input that new-api has in its program, in the order in which it asks for
 * them: `getHardcodedCompletionModelRatio` in its source, August 2026.
 */
const NEW_API: readonly Rule[] = [
  [/(?:-all|-gizmo-\*)$/, 2],
  [/^gpt-4o-2024-05-13$/, 3, "fixed"],
  [/^gpt-4o-mini-tts/, 20],
  [/^gpt-4o/, 4],
  [/^gpt-5[^.]*$/, 8, "fixed"],
  [/^gpt-5\.4-nano/, 6.25, "fixed"],
  [/^gpt-5\.4/, 6, "fixed"],
  [/^gpt-5/, 6],
  [/^gpt-4\.5-preview/, 2, "fixed"],
  [/^gpt-4-turbo|^gpt-.*gpt-4-110[56]$|^gpt-4-110[56]$/, 3, "fixed"],
  [/^gpt-/, 2],
  [/^o[13]/, 4, "fixed"],
  [/^chatgpt-4o-latest$/, 3, "fixed"],
  [/claude-3|claude-(?:sonnet|opus|haiku)-4|claude-(?:fable|sonnet|opus)-5/, 5, "fixed"],
  [/^mistral-/, 3, "fixed"],
  [/^gemini-(?:1\.5|2\.0)/, 4, "fixed"],
  [/^gemini-2\.5-pro/, 8],
  [/^gemini-2\.5-flash-preview.*-nothinking$/, 4],
  [/^gemini-2\.5-flash-preview/, 3.5 / 0.15],
  [/^gemini-2\.5-flash-lite/, 4],
  [/^gemini-2\.5-flash|^gemini-robotics-er-1\.5/, 2.5 / 0.3],
  [/^gemini-3-pro-image/, 60],
  [/^gemini-3-pro/, 6],
  [/^gemini-/, 4],
  [/^command-r$/, 3, "fixed"],
  [/^command-r-plus$/, 5, "fixed"],
  [/^command-r(?:-plus)?-08-2024$/, 4, "fixed"],
  [/^command/, 4],
  [/^ERNIE-(?:Speed-|Lite-|Character|Functions)/, 2, "fixed"],
  [/^llama2-70b-4096$/, 0.8 / 0.64, "fixed"],
  [/^llama3-8b-8192$/, 2, "fixed"],
  [/^llama3-70b-8192$/, 0.79 / 0.59, "fixed"],
];

/** one-api asks its options first: `GetCompletionRatio` in its source, February 2025. */
const ONE_API: readonly Rule[] = [
  [/^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, 3],
  [/^gpt-3\.5.*1106$/, 2],
  [/^gpt-3\.5/, 4 / 3],
  [/^gpt-4o-2024-05-13$/, 3],
  [/^gpt-4o/, 4],
  [/^gpt-4-turbo|^gpt-4.*preview$/, 3],
  [/^gpt-4/, 2],
  [/^o1/, 4],
  [/^chatgpt-4o-latest$/, 3],
  [/^claude-3/, 5],
  [/^(?:claude|mistral|gemini)-/, 3],
  [/^deepseek-/, 2],
  [/^llama2-70b-4096$/, 0.8 / 0.64],
  [/^llama3-8b-8192$/, 2],
  [/^llama3-70b-8192$/, 0.79 / 0.59],
  [/^command(?:-light)?(?:-nightly)?$/, 2],
  [/^command-r$|^grok-beta$/, 3],
  [/^command-r-plus$/, 5],
];

/** The ratio of the price of output to that of input, as the program applies it. */
export function completionRatio(
  program: Program,
  model: string,
  options: ReadonlyMap<string, number>,
): number {
  const given = options.get(model);
  const builtIn = builtInRatio(program, model);
  const outranks = program === "new-api" && builtIn.isFixed && !model.includes("/");
  return outranks ? builtIn.ratio : (given ?? builtIn.ratio);
}

function builtInRatio(program: Program, model: string): BuiltIn {
  const rules = program === "new-api" ? NEW_API : ONE_API;
  const found = rules.find(([name]) => name.test(model));
  return found === undefined
    ? { ratio: 1, isFixed: false }
    : { ratio: found[1], isFixed: found[2] === "fixed" };
}
