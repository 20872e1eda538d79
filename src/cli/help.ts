import { suggest } from "#config/suggest.ts";
import { describeNoun, layOut, wordOf, type Noun } from "./command.ts";

/** A command as help and completion show it. */
export interface Command {
  readonly name: string;
  /** The syntax of each form without the program's name, and its description. */
  readonly rows: readonly (readonly string[])[];
  /** Words that may follow the name. */
  readonly words: readonly string[];
}

export function commandOf(noun: Noun): Command {
  const options = noun.verbs.flatMap(({ options: each = {} }) => Object.keys(each));
  const flags = [...new Set([...options, "json"])].map((option) => `--${option}`);
  return {
    name: noun.name,
    rows: describeNoun(noun),
    words: [...noun.verbs.map(wordOf), ...flags],
  };
}

/** The name that help is asked for, empty for all commands; undefined if it is not asked for. */
export function helpAskedFor(typed: readonly string[]): string | undefined {
  const [first = "", second = ""] = typed;
  if (first === "help") return isHelpFlag(second) ? "" : second;
  if (!typed.some(isHelpFlag)) return undefined;
  return first.startsWith("-") ? "" : first;
}

function isHelpFlag(word: string): boolean {
  return word === "--help" || word === "-h";
}

/** Help for one command or all; undefined if there is no such command. */
export function describeHelp(name: string, commands: readonly Command[]): string | undefined {
  const shown = name === "" ? commands : commands.filter((each) => each.name === name);
  if (shown.length === 0) return undefined;
  const usage = name === "" ? "<command>" : name;
  return [
    `Usage: sluice ${usage}`,
    "",
    layOut(shown.flatMap(({ rows }) => rows)),
    "",
    ...(name === "" ? GENERAL : []),
  ].join("\n");
}

const GENERAL = [
  "If a gateway is running, commands for keys, users and so on use its API, with the access token",
  "in SLUICE_TOKEN; SLUICE_URL selects another gateway. Otherwise they work on the database",
  "as root. --json prints the response unchanged.",
  "",
];

export function unknownCommand(name: string, commands: readonly Command[]): string {
  const meant = suggest(
    name,
    commands.map((each) => each.name),
  );
  const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
  return `Unknown command '${name}'.${hint}\n`;
}
