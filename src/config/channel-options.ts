import type { ChannelOptions } from "#core/channel.ts";
import { type Form, readNode } from "./form.ts";
import { type FilePlace, quote, type Report } from "./mistakes.ts";
import { text } from "./parsers.ts";
import { didYouMean } from "./suggest.ts";
import type { MapNode } from "./tree.ts";

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

const MAX_OPTIONS = 64;
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const value = text(
  "text of 1 to 1000 characters without line breaks",
  /^[^\p{Cc}\p{Zl}\p{Zp}]{1,1000}$/u,
);

/** Undefined without options. Reports unknown and missing options. */
export function readOptions(
  form: Form,
  providerId: string,
  known: KnownOptions,
  report: Report,
): ChannelOptions | undefined {
  const node = form.find("options");
  const map = node?.kind === "map" ? node : undefined;
  if (node !== undefined && map === undefined && node.kind !== "broken") {
    report(node.place, "is not a map of options.");
  }
  const options = map === undefined ? {} : readAll(map, providerId, known, report);

  const missing = Object.entries(known.required ?? {}).filter(
    ([name]) => map?.members.has(name) !== true,
  );
  for (const [name, what] of missing) {
    report(form.place, `"options.${name}" is missing: ${what}.`);
  }
  const problems = missing.length > 0 ? undefined : known.optionProblems?.(options);
  for (const [name, why] of Object.entries(problems ?? {})) {
    report(map?.members.get(name)?.node.place ?? form.place, why);
  }
  return map === undefined ? undefined : options;
}

function readAll(
  { place, members }: MapNode,
  providerId: string,
  known: KnownOptions,
  report: Report,
): ChannelOptions {
  if (members.size > MAX_OPTIONS) report(place, `has more than ${MAX_OPTIONS} options.`);
  const options: Record<string, string> = {};
  for (const [name, member] of members) {
    if (!isTaken(name, member.place, providerId, known, report)) continue;
    const given = readNode(member.node, value, report);
    if (given !== undefined) options[name] = given;
  }
  return options;
}

function isTaken(
  name: string,
  place: FilePlace,
  providerId: string,
  known: KnownOptions,
  report: Report,
): boolean {
  const names = Object.keys(namesOf(known));
  if (names.includes(name)) return true;
  if (known.isOpen === true && NAME.test(name)) return true;
  const hint = names.length === 0 ? `${providerId} has no options.` : didYouMean(name, names);
  report(place, `${quote(name)} is not known here; ${hint}`);
  return false;
}

function namesOf({ required, optional }: KnownOptions): Readonly<Record<string, string>> {
  return { ...required, ...optional };
}
