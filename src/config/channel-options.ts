import type { z } from "zod";
import type { ChannelOptions } from "#core/channel.ts";
import { nameIssue } from "./documents/fields.ts";
import { quote } from "./mistakes.ts";
import { text } from "./parsers.ts";
import { didYouMean } from "./suggest.ts";

/** A provider's rules for a channel's `options`. */
export interface KnownOptions {
  /** Descriptions by option name. */
  readonly required?: Readonly<Record<string, string>>;
  readonly optional?: Readonly<Record<string, string>>;
  /** Unknown options are accepted and passed on. */
  readonly isOpen?: true;
  /** Error messages by option name. */
  optionProblems?(options: ChannelOptions): Readonly<Record<string, string>>;
}

interface Provider {
  readonly id: string;
  readonly options?: KnownOptions;
}

const ANY_OPTIONS: KnownOptions = { isOpen: true };
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export const optionValue = text(
  "text of 1 to 1000 characters without line breaks",
  /^[^\p{Cc}\p{Zl}\p{Zp}]{1,1000}$/u,
);

/** Reports unknown and missing options of a channel, which may have none. */
export function checkOptions(
  given: ReadonlyMap<string, unknown> | undefined,
  { id, options: known = ANY_OPTIONS }: Provider,
  context: z.RefinementCtx,
): void {
  for (const name of given?.keys() ?? []) {
    const problem = nameProblem(name, id, known);
    if (problem === undefined) continue;
    const issue = nameIssue(name, problem);
    context.addIssue({ ...issue, path: ["options", ...issue.path] });
  }
  const missing = Object.entries(known.required ?? {}).filter(
    ([name]) => given?.has(name) !== true,
  );
  for (const [name, what] of missing) {
    context.addIssue({ code: "custom", message: `"options.${name}" is missing: ${what}.` });
  }
  const problems = missing.length > 0 ? undefined : known.optionProblems?.(textsOf(given));
  for (const [name, message] of Object.entries(problems ?? {})) {
    const path = given?.has(name) === true ? ["options", name] : [];
    context.addIssue({ code: "custom", message, path });
  }
}

function textsOf(given: ReadonlyMap<string, unknown> = new Map()): ChannelOptions {
  const texts = [...given].flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}

function nameProblem(name: string, providerId: string, known: KnownOptions): string | undefined {
  const names = Object.keys({ ...known.required, ...known.optional });
  if (names.includes(name)) return undefined;
  if (known.isOpen === true && NAME.test(name)) return undefined;
  const hint = names.length === 0 ? `${providerId} has no options.` : didYouMean(name, names);
  return `${quote(name)} is not known here; ${hint}`;
}
