import { suggest } from "#config/suggest.ts";

/** The options of commands that take nothing else. */
export const PLAIN_OPTIONS = {
  start: ["--dev"],
  check: ["--json"],
  doctor: ["--json"],
  health: ["--json"],
  version: [],
  "--version": [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The reason why a command that takes only options does not take these words. */
export function unexpectedWord(command: string, words: readonly string[]): string | undefined {
  if (!isPlain(command)) return undefined;
  const known: readonly string[] = PLAIN_OPTIONS[command];
  const unknown = words.find((each) => !known.includes(each));
  if (unknown === undefined) return undefined;
  if (!unknown.startsWith("-")) return `Unexpected argument '${unknown}'.`;
  const meant = suggest(unknown, known);
  return `Unknown option '${unknown}'.${meant === undefined ? "" : ` Did you mean '${meant}'?`}`;
}

function isPlain(command: string): command is keyof typeof PLAIN_OPTIONS {
  return Object.hasOwn(PLAIN_OPTIONS, command);
}
