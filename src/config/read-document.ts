import type { z } from "zod";
import { safeKey, writtenKey } from "./documents/fields.ts";
import { type FilePlace, quote, type Place, type Report } from "./mistakes.ts";
import type { Parser } from "./parsers.ts";
import type { FileNode } from "./tree.ts";

/** Reads a value of a document; reports all mistakes at their positions. */
export function readDocument<T>(schema: z.ZodType<T>, node: FileNode, report: Report) {
  const parsed = schema.safeParse(plainValue(node));
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) reportIssue(issue, node, report);
  return undefined;
}

/** Text of one value outside the file, with variables expanded, and as it may be shown. */
interface Given {
  readonly text: string;
  readonly written: string;
  readonly place: Place;
}

export function readText<T>(
  { text, written, place }: Given,
  { schema }: Parser<T>,
  report: Report,
): T | undefined {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) report(place, textMistake(issue, written));
  return undefined;
}

/** The node at a path of the value; absent if there is none. */
export function findNode(root: FileNode, path: readonly PropertyKey[]): FileNode | undefined {
  return locate(root, path)?.node;
}

type Value = string | null | readonly Value[] | { readonly [name: string]: Value };

/** An empty value is null, and so is one with a mistake that is already reported. */
function plainValue(node: FileNode): Value {
  switch (node.kind) {
    case "text":
      return node.text;
    case "list":
      return node.items.map(plainValue);
    case "map":
      return Object.fromEntries(
        [...node.members].map(([name, member]) => [safeKey(name), plainValue(member.node)]),
      );
    case "empty":
    case "broken":
      return null;
  }
}

function reportIssue(issue: z.core.$ZodIssue, root: FileNode, report: Report): void {
  const found = locate(root, issue.path);
  if (found === undefined) return;
  const { node, parent, name } = found;
  if (node === undefined) {
    report(parent.place, `"${name}" is missing.`);
    return;
  }
  if (node.kind === "broken") return;
  if (issue.code === "unrecognized_keys") {
    const lines = issue.message.split("\n");
    for (const [index, key] of issue.keys.entries()) {
      report(namePlace(node, writtenKey(key)), lines[index] ?? issue.message);
    }
    return;
  }
  const place = paramOf(issue, "at") === "name" ? namePlace(parent, name) : node.place;
  report(place, mistakeOf(issue, node));
}

function mistakeOf(issue: z.core.$ZodIssue, node: FileNode): string {
  const expects = paramOf(issue, "expects");
  if (expects === undefined)
    return node.kind === "text" ? textMistake(issue, node.written) : issue.message;
  return node.kind === "empty"
    ? `has no value; give it ${expects}, or leave it out.`
    : `is a ${node.kind}, not ${expects}.`;
}

/** Shows the text as written, without expanded variables, and only if it cannot be a secret. */
function textMistake(issue: z.core.$ZodIssue, written: string): string {
  const shows = paramOf(issue, "shows");
  if (shows === undefined) return issue.message;
  return `${shows === "always" ? quote(written) : "The value"} ${issue.message}`;
}

function paramOf(issue: z.core.$ZodIssue, name: string): string | undefined {
  const value: unknown = issue.code === "custom" ? issue.params?.[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

interface Located {
  /** Absent if the parent has no such member. */
  readonly node: FileNode | undefined;
  readonly parent: FileNode;
  readonly name: string;
}

/** Undefined if the path leads into a value with a mistake that is already reported. */
function locate(root: FileNode, path: readonly PropertyKey[]): Located | undefined {
  let found: Located = { node: root, parent: root, name: "" };
  for (const step of path) {
    const { node } = found;
    if (node === undefined || node.kind === "broken") return undefined;
    // A single value may stand for a list of one.
    if (typeof step === "number" && node.kind !== "list") continue;
    const name = writtenKey(String(step));
    found = { node: memberOf(node, step), parent: node, name };
  }
  return found;
}

function memberOf(node: FileNode, step: PropertyKey): FileNode | undefined {
  if (node.kind === "list") return node.items[Number(step)];
  return node.kind === "map" ? node.members.get(writtenKey(String(step)))?.node : undefined;
}

function namePlace(node: FileNode, name: string): FilePlace {
  return (node.kind === "map" ? node.members.get(name)?.place : undefined) ?? node.place;
}
