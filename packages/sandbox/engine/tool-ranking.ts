import type { Tool } from "./conversation.ts";
import { contentWords, stems, words } from "./words.ts";

/**
 * The tools that the user's words call for, best first. A tool is called for
 * when its name is written out, when a word of its name is used, or when two
 * words of its description's first sentence are. A second tool has to be
 * asked for by words of its own, and by an "and" of some kind.
 */
export function rankTools(tools: readonly Tool[], text: string): readonly Tool[] {
  const said = new Set(stems(contentWords(withVerbs(text)).join(" ")));
  const rated = tools
    .map((tool) => rate(tool, text, said))
    .filter((rating) => rating.score >= LEAST_SCORE)
    .toSorted((left, right) => right.score - left.score);

  const [best, ...others] = rated;
  if (best === undefined) return [];
  if (!/\b(?:and|both|also|plus|then)\b|,|&/i.test(text)) return [best.tool];
  return distinct(best, others).map((rating) => rating.tool);
}

interface Rating {
  readonly tool: Tool;
  readonly score: number;
  /** The words of its name that the user said. */
  readonly matched: readonly string[];
}

const LEAST_SCORE = 2;

function rate(tool: Tool, text: string, said: ReadonlySet<string>): Rating {
  const name = stems(contentWords(words(tool.name).join(" ")).join(" "));
  const matched = name.filter((word) => said.has(word));
  const description = new Set(stems(contentWords(firstSentence(tool.description)).join(" ")));
  const described = [...description].filter(
    (word) => said.has(word) && !name.includes(word),
  ).length;
  const isWrittenOut = new RegExp(
    String.raw`(?<![\w-])${tool.name.replaceAll(/[^\w]/g, ".")}(?![\w-])`,
    "i",
  ).test(text);

  const share = name.length === 0 ? 0 : matched.length / name.length;
  const byName = isWrittenOut ? 20 : matched.length * 2 + share;
  const byFile = matched.length > 0 && readsFile(tool) && NAMED_FILE.test(text) ? 3 : 0;
  return {
    tool,
    score: byName + described + byFile,
    matched: isWrittenOut ? [tool.name, ...matched] : matched,
  };
}

/** A file that is named is read, rather than looked for. */
const NAMED_FILE = /\b[\w-]+(?:\/[\w.-]+)*\.[a-z]{1,5}\b/;

function readsFile(tool: Tool): boolean {
  const isReader = words(tool.name).some((word) => ["read", "open", "view"].includes(word));
  return (
    isReader &&
    tool.kind === "function" &&
    /"(?:path|file|file_?name)"/i.test(JSON.stringify(tool.schema))
  );
}

function distinct(best: Rating, others: readonly Rating[]): readonly Rating[] {
  const chosen = [best];
  const covered = new Set(best.matched);
  for (const rating of others) {
    if (rating.matched.every((word) => covered.has(word))) continue;
    chosen.push(rating);
    for (const word of rating.matched) covered.add(word);
  }
  return chosen;
}

/** "6 times 7" asks to multiply, and not for the time. */
function withVerbs(text: string): string {
  return text.replaceAll(
    /(?<=\d)\s*(\*|×|x|times|multiplied by|\+|plus|-|minus|\/|divided by)\s*(?=\d)/gi,
    (_, operator: string) => {
      const verb = VERBS.find(([pattern]) => pattern.test(operator))?.[1] ?? "";
      return ` ${verb} calculate calculator math `;
    },
  );
}

const VERBS: readonly (readonly [RegExp, string])[] = [
  [/\*|×|x|times|multiplied/i, "multiply"],
  [/\+|plus/i, "add"],
  [/-|minus/i, "subtract"],
  [/\/|divided/i, "divide"],
];

/** Descriptions can be whole manuals, in which every word occurs. */
function firstSentence(description: string): string {
  return description.slice(0, 300).split(/[.\n](?:\s|$)/)[0] ?? "";
}
