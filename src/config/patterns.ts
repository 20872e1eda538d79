import { LinearPattern } from "#lib/linear-pattern.ts";
import { PatternError } from "#lib/parse-pattern.ts";
import { parser, type Parser } from "./parsers.ts";

const MAX_PATTERNS = 20;
const MAX_PATTERN_CHARS = 500;

/** Regular expressions that are searched without backtracking, one a line. */
export const linearPatterns: Parser<readonly LinearPattern[]> = parser({
  expects: `at most ${MAX_PATTERNS} regular expressions of at most ${MAX_PATTERN_CHARS} characters, one a line`,
  shows: "always",
  parse(given) {
    const lines = linesOf(given);
    const isGood =
      lines.length <= MAX_PATTERNS && lines.every((line) => problemOf(line) === undefined);
    return isGood ? lines.map((line) => new LinearPattern(line)) : undefined;
  },
  format: (patterns) => patterns.map(({ source }) => source).join("\n"),
  explain(given) {
    const lines = linesOf(given);
    if (lines.length > MAX_PATTERNS) return `has more than ${MAX_PATTERNS} lines.`;
    const problems = lines.map(problemOf);
    const at = problems.findIndex((problem) => problem !== undefined);
    return at < 0 ? undefined : `is invalid: pattern ${at + 1} ${problems[at]}.`;
  },
});

function linesOf(given: string): readonly string[] {
  return given.split(/\r?\n/).filter((line) => line !== "");
}

/** Completes "the pattern ...". */
function problemOf(line: string): string | undefined {
  if (line.length > MAX_PATTERN_CHARS) return `has more than ${MAX_PATTERN_CHARS} characters`;
  try {
    void new LinearPattern(line);
    return undefined;
  } catch (cause) {
    if (cause instanceof PatternError) return cause.message;
    throw cause;
  }
}
