import { type FilePlace, quote, type Place, type Report } from "./mistakes.ts";
import type { Parser } from "./parsers.ts";
import { didYouMean } from "./suggest.ts";
import type { FileNode } from "./tree.ts";

/** A map of the file with access by key. */
export interface Form {
  readonly place: FilePlace;
  find(name: string): FileNode | undefined;
  optional<T>(name: string, parser: Parser<T>): T | undefined;
  /** Reports the key if it is missing. */
  required<T>(name: string, parser: Parser<T>): T | undefined;
}

/** Reports a value that is not a map, and all unknown keys. */
export function openForm(
  node: FileNode,
  known: readonly string[],
  report: Report,
): Form | undefined {
  if (node.kind === "broken") return undefined;
  if (node.kind !== "map") {
    report(node.place, `is not a map of ${known.join(", ")}.`);
    return undefined;
  }
  for (const [name, member] of node.members) {
    if (known.includes(name)) continue;
    report(member.place, `${quote(name)} is not known here; ${didYouMean(name, known)}`);
  }

  const find = (name: string): FileNode | undefined => node.members.get(name)?.node;
  return {
    place: node.place,
    find,
    optional: (name, parser) => readNode(find(name), parser, report),
    required: (name, parser) => {
      const member = find(name);
      if (member === undefined) report(node.place, `"${name}" is missing.`);
      return readNode(member, parser, report);
    },
  };
}

/**
 * Empty if there is no list. An empty list is a mistake if `whenEmpty` says
 * what to write instead.
 */
export function readItems(
  node: FileNode | undefined,
  report: Report,
  whenEmpty?: string,
): readonly FileNode[] {
  if (node?.kind === "text" || node?.kind === "map") report(node.place, "is not a list.");
  const items = node?.kind === "list" ? node.items : [];
  const isEmpty = node?.kind === "empty" || (node?.kind === "list" && items.length === 0);
  if (isEmpty && whenEmpty !== undefined) report(node.place, `is an empty list; ${whenEmpty}`);
  return items;
}

export function readNode<T>(
  node: FileNode | undefined,
  parser: Parser<T>,
  report: Report,
): T | undefined {
  switch (node?.kind) {
    case undefined:
    case "broken":
      return undefined;
    case "empty":
      report(node.place, `has no value; give it ${parser.expects}, or leave it out.`);
      return undefined;
    case "list":
    case "map":
      report(node.place, `is a ${node.kind}, not ${parser.expects}.`);
      return undefined;
    case "text":
      return readText(node, parser, report);
  }
}

/** Text with variables expanded, and as it may be shown. */
interface Given {
  readonly text: string;
  readonly written: string;
  readonly place: Place;
}

export function readText<T>(given: Given, parser: Parser<T>, report: Report): T | undefined {
  const value = parser.parse(given.text);
  if (value === undefined) {
    const subject = parser.shows === "always" ? quote(given.written) : "The value";
    const why = parser.explain?.(given.text) ?? `is not ${parser.expects}.`;
    report(given.place, `${subject} ${why}`);
  }
  return value;
}
