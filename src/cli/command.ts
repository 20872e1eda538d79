import { parseArgs } from "node:util";
import { quote } from "#config/mistakes.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { columns } from "./columns.ts";

/** One thing that the command line can ask of a gateway: its words, a request, and the answer for people. */
export interface Verb {
  /** As it is typed, options aside: `create <name>`. */
  readonly usage: string;
  readonly doc: string;
  /** By name, with what stands behind them; `undefined` for those that stand alone. */
  readonly options?: Readonly<Record<string, string | undefined>>;
  /** Throws `UsageError` where the words make no sense. */
  ask(words: Words): Question | Promise<Question>;
  show(data: JsonObject): readonly string[];
  /** What was asked was done, and went wrong all the same. */
  isFailure?(data: JsonObject): boolean;
}

/** Verbs about one kind of thing. The first is what is done when none is named. */
export interface Noun {
  readonly name: string;
  readonly verbs: readonly Verb[];
}

/** A request to the management API. */
export interface Question {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: JsonObject;
  /** A body of YAML instead. */
  readonly document?: string;
  /** What the answer is shown with, and the gateway need not know. */
  readonly beside?: JsonObject;
}

/** Where words come from that are not typed behind the command. */
interface Inputs {
  /** Of the standard input; empty at its end. */
  readLine(): Promise<string>;
  readFile(path: string): Promise<string>;
  /** The text behind a link. */
  readLink(url: string): Promise<string>;
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What was typed behind the verb. */
export class Words {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #positionals: readonly string[];
  readonly #inputs: Inputs;

  constructor(
    values: Readonly<Record<string, unknown>>,
    positionals: readonly string[],
    inputs: Inputs,
  ) {
    this.#values = values;
    this.#positionals = positionals;
    this.#inputs = inputs;
  }

  /** The only word. */
  one(what: string): string {
    const [word, ...others] = this.#positionals;
    if (word !== undefined && others.length === 0) return word;
    throw new UsageError(`Name ${what}, and nothing else.`);
  }

  /** Two words, and no more. */
  two(what: string): readonly [string, string] {
    const [first, second, ...others] = this.#positionals;
    if (first !== undefined && second !== undefined && others.length === 0) return [first, second];
    throw new UsageError(`Name ${what}, and nothing else.`);
  }

  some(what: string): readonly string[] {
    if (this.#positionals.length > 0) return this.#positionals;
    throw new UsageError(`Name ${what}.`);
  }

  none(): void {
    const [word] = this.#positionals;
    if (word !== undefined) throw new UsageError(`'${word}' has no meaning here.`);
  }

  text(option: string): string | undefined {
    const value = this.#values[option];
    return typeof value === "string" ? value : undefined;
  }

  list(option: string): readonly string[] | undefined {
    return this.text(option)
      ?.split(",")
      .map((each) => each.trim());
  }

  count(option: string): number | undefined {
    const given = this.text(option);
    if (given === undefined) return undefined;
    if (/^\d{1,15}$/.test(given)) return Number(given);
    throw new UsageError(`--${option} takes a whole number.`);
  }

  has(option: string): boolean {
    return this.#values[option] === true;
  }

  /** What is in the file that the only word names. */
  async file(): Promise<string> {
    const path = this.one("a file");
    try {
      return await this.#inputs.readFile(path);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`The file cannot be read: ${why}`, { cause });
    }
  }

  /** What is in the file, or behind the link, that the only word names. */
  async fileOrLink(): Promise<string> {
    const named = this.one("a file or a link");
    if (!/^https?:\/\//i.test(named)) return await this.file();
    try {
      return await this.#inputs.readLink(named);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`The link cannot be read: ${why}`, { cause });
    }
  }

  /** A secret, which has no place among words that the shell remembers. */
  async secret(what: string): Promise<string> {
    const line = await this.#inputs.readLine();
    if (line !== "") return line;
    throw new UsageError(`Write ${what} to the standard input.`);
  }
}

const COMMON = { json: { type: "boolean" } } as const;

/** Finds the verb, and reads what stands behind it. */
export function readVerb(
  { name, verbs }: Noun,
  typed: readonly string[],
  inputs: Inputs,
): { readonly verb: Verb; readonly words: Words; readonly isJson: boolean } {
  const [first] = verbs;
  const named = verbs.find((each) => wordOf(each) === typed[0]);
  const isNamed = named !== undefined || typed[0]?.startsWith("-") === false;
  const verb = named ?? (isNamed ? undefined : first);
  if (verb === undefined) {
    throw new UsageError(`'${name}' knows no '${typed[0]}', but: ${verbs.map(wordOf).join(", ")}.`);
  }
  const { values, positionals } = parse(verb, typed.slice(isNamed ? 1 : 0));
  return { verb, words: new Words(values, positionals, inputs), isJson: values["json"] === true };
}

function parse(
  { options = {} }: Verb,
  args: readonly string[],
): { values: Record<string, unknown>; positionals: string[] } {
  const known = Object.entries(options).map(
    ([option, value]) =>
      [option, { type: value === undefined ? "boolean" : "string" } as const] as const,
  );
  try {
    return parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(known), ...COMMON },
      allowPositionals: true,
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function wordOf({ usage }: Verb): string {
  return usage.split(" ", 1)[0] ?? "";
}

/** For the help text: one line a verb. */
export function describeNoun({ name, verbs }: Noun): readonly (readonly string[])[] {
  return verbs.map(({ usage, doc, options = {} }) => {
    const all = Object.entries(options).map(([option, value]) =>
      value === undefined ? `[--${option}]` : `[--${option} ${value}]`,
    );
    return [[name, usage, ...all].join(" "), doc];
  });
}

/** Each command, and below it what it does. */
export function layOut(rows: readonly (readonly string[])[]): string {
  return rows.map(([usage, doc]) => `  ${usage}\n      ${doc}`).join("\n");
}

/** The answer's items as a table, with a head. */
export function table(
  data: JsonObject,
  head: readonly string[],
  row: (item: JsonObject) => readonly Json[],
): readonly string[] {
  const items = isArray(data["items"]) ? data["items"].filter(isObject) : [];
  if (items.length === 0) return ["none"];
  return columns([head, ...items.map((item) => row(item).map(cell))]);
}

/** The answer's members, one a line. */
export function listing(data: JsonObject): readonly string[] {
  return columns(Object.entries(data).map(([name, value]) => [name, cell(value ?? null)]));
}

export function cell(value: Json): string {
  if (value === null) return "-";
  // What somebody named may hold what steers a terminal.
  if (typeof value === "string") return /[\p{C}\p{Zl}\p{Zp}]/u.test(value) ? quote(value) : value;
  return isArray(value) ? value.map(cell).join(",") : JSON.stringify(value);
}

/** Unix seconds as people write it. */
export function moment(value: Json | undefined): string {
  return typeof value === "number" ? `${new Date(value * 1_000).toISOString().slice(0, 16)}Z` : "-";
}

/** A token's or a user's status. */
export function statusWord(value: Json | undefined): string {
  const words = ["", "enabled", "disabled", "expired", "exhausted"];
  return words[typeof value === "number" ? value : 0] ?? "";
}
