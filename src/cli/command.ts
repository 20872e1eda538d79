import { parseArgs } from "node:util";
import { quote } from "#config/mistakes.ts";
import { suggest } from "#config/suggest.ts";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { columns } from "./columns.ts";

/** One action of the command line: its syntax, its request, and the display of the response. */
export interface Verb {
  /** The syntax without options: `create <name>`. */
  readonly usage: string;
  readonly doc: string;
  /** A first word of this form, such as an id, selects the verb without its name. */
  readonly startsWith?: RegExp;
  /** Option names with their value placeholders; `undefined` for flags. */
  readonly options?: Readonly<Record<string, string | undefined>>;
  /** Throws `UsageError` if the arguments are invalid. */
  ask(words: Words): Prompt | Promise<Prompt>;
  show(data: JsonObject): readonly string[];
  /** One event of a stream. */
  showEvent?(data: JsonObject): readonly string[];
  /** True if the request succeeded but reports a failure. */
  isFailure?(data: JsonObject): boolean;
}

/** The verbs of one kind of object. The first is the default. */
export interface Noun {
  readonly name: string;
  readonly verbs: readonly Verb[];
}

/** A request to the management API. */
export interface Prompt {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: JsonObject;
  /** A YAML body instead of a JSON body. */
  readonly document?: string;
  /** The answer is a stream of events, which are shown as they come. */
  readonly isFollowed?: true;
  /** If the answer may take longer than others. */
  readonly timeoutMs?: number;
  /** Additional data for the display, which the gateway does not need. */
  readonly beside?: JsonObject;
}

/** Sources of input besides the command line. */
interface Inputs {
  /** One line of standard input; empty at its end. */
  readLine(): Promise<string>;
  readFile(path: string): Promise<string>;
  /** The text behind a link. */
  readLink(url: string): Promise<string>;
  /** Variables of the environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The arguments after the verb. */
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

  /** The only argument. */
  one(what: string): string {
    const [word, ...others] = this.#positionals;
    if (word !== undefined && others.length === 0) return word;
    throw new UsageError(`Give ${what}, and no other arguments.`);
  }

  /** Exactly two arguments. */
  two(what: string): readonly [string, string] {
    const [first, second, ...others] = this.#positionals;
    if (first !== undefined && second !== undefined && others.length === 0) return [first, second];
    throw new UsageError(`Give ${what}, and no other arguments.`);
  }

  /** The only argument, if there is one. */
  atMostOne(what: string): string | undefined {
    return this.#positionals.length === 0 ? undefined : this.one(what);
  }

  /** A variable of the environment. */
  get env(): Readonly<Record<string, string | undefined>> {
    return this.#inputs.env ?? {};
  }

  some(what: string): readonly string[] {
    if (this.#positionals.length > 0) return this.#positionals;
    throw new UsageError(`Give ${what}.`);
  }

  none(): void {
    const [word] = this.#positionals;
    if (word !== undefined) throw new UsageError(`Unexpected argument '${word}'.`);
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

  /**
   * The JSON object of an option, for objects with many fields; `@file` reads it from a file.
   * Empty if the option is absent.
   */
  async object(option: string): Promise<JsonObject> {
    const given = this.text(option);
    if (given === undefined) return {};
    const content = given.startsWith("@") ? await this.#read(given.slice(1)) : given;
    const object = parseJson(content);
    if (isObject(object)) return object;
    throw new UsageError(`--${option} takes a JSON object, or @ and the name of a file with one.`);
  }

  /** The content of the file that the only argument names. */
  async file(): Promise<string> {
    return await this.#read(this.one("a file"));
  }

  async #read(path: string): Promise<string> {
    try {
      return await this.#inputs.readFile(path);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`The file cannot be read: ${why}`, { cause });
    }
  }

  /** The content of the file or link that the only argument names. */
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

  /** Reads a secret from standard input, because the shell's history stores arguments. */
  async secret(what: string): Promise<string> {
    const line = await this.#inputs.readLine();
    if (line !== "") return line;
    throw new UsageError(`Write ${what} to the standard input.`);
  }
}

const COMMON = { json: { type: "boolean" } } as const;

/** Finds the verb and parses its arguments. */
export function readVerb(
  { name, verbs }: Noun,
  typed: readonly string[],
  inputs: Inputs,
): { readonly verb: Verb; readonly words: Words; readonly isJson: boolean } {
  const [first] = verbs;
  const [word = ""] = typed;
  const named = verbs.find((each) => wordOf(each) === word);
  const implied = named === undefined && verbs.find((each) => each.startsWith?.test(word));
  if (implied) return readVerb({ name, verbs }, [wordOf(implied), ...typed], inputs);
  const isNamed = named !== undefined || typed[0]?.startsWith("-") === false;
  const verb = named ?? (isNamed ? undefined : first);
  if (verb === undefined) {
    const known = verbs.map(wordOf);
    const meant = suggest(typed[0] ?? "", known);
    throw new UsageError(
      meant === undefined
        ? `Unknown command '${name} ${typed[0]}'. Known: ${known.join(", ")}.`
        : `Unknown command '${name} ${typed[0]}'. Did you mean '${name} ${meant}'?`,
    );
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
    const problem = cause instanceof Error ? cause.message : String(cause);
    // The runtime continues with an advice about arguments that begin with a dash.
    const [what = problem] = problem.split(". To specify ", 1);
    throw new UsageError(`${what.replace(/\.$/, "")}.${meantOption(args, known)}`, { cause });
  }
}

/** A suggestion for the first option that is not known. */
function meantOption(
  args: readonly string[],
  known: readonly (readonly [string, object])[],
): string {
  const names = [...known.map(([name]) => name), ...Object.keys(COMMON)];
  const typed = args.flatMap((each) => /^--([^=]+)/.exec(each)?.[1] ?? []);
  const unknown = typed.find((each) => !names.includes(each));
  const meant = unknown === undefined ? undefined : suggest(unknown, names);
  return meant === undefined ? "" : ` Did you mean '--${meant}'?`;
}

export function wordOf({ usage }: Verb): string {
  return usage.split(" ", 1)[0] ?? "";
}

/** One line per verb for the help text. */
export function describeNoun({ name, verbs }: Noun): readonly (readonly string[])[] {
  return verbs.map(({ usage, doc, options = {} }) => {
    const all = Object.entries(options).map(([option, value]) =>
      value === undefined ? `[--${option}]` : `[--${option} ${value}]`,
    );
    return [[name, usage, ...all].join(" "), doc];
  });
}

/** Each command with its description below. */
export function layOut(rows: readonly (readonly string[])[]): string {
  return rows.map(([usage, doc]) => `  ${usage}\n      ${doc}`).join("\n");
}

/** The response's items as a table with a header. */
export function table(
  data: JsonObject,
  head: readonly string[],
  row: (item: JsonObject) => readonly Json[],
): readonly string[] {
  const items = isArray(data["items"]) ? data["items"].filter(isObject) : [];
  if (items.length === 0) return ["none"];
  return columns([head, ...items.map((item) => row(item).map(cell))]);
}

/** The response's fields, one per line. */
export function listing(data: JsonObject): readonly string[] {
  return columns(Object.entries(data).map(([name, value]) => [name, cell(value ?? null)]));
}

export function cell(value: Json): string {
  if (value === null) return "-";
  // User-defined names may contain terminal control characters.
  if (typeof value === "string") return /[\p{C}\p{Zl}\p{Zp}]/u.test(value) ? quote(value) : value;
  return isArray(value) ? value.map(cell).join(",") : JSON.stringify(value);
}

/** Formats Unix seconds. */
export function moment(value: Json | undefined): string {
  return typeof value === "number" ? `${new Date(value * 1_000).toISOString().slice(0, 16)}Z` : "-";
}

/** The status of an API key or a user. */
export function statusWord(value: Json | undefined): string {
  const words = ["", "enabled", "disabled", "expired", "exhausted"];
  return words[typeof value === "number" ? value : 0] ?? "";
}
