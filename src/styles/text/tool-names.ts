import { createHash } from "node:crypto";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";

/** Longest name that all vendors of chat completions and responses take. */
export const MAX_TOOL_NAME = 64;

export interface ToolName {
  readonly name: string;
  readonly kind: "function" | "custom";
}

/**
 * Other styles allow dots, colons and more in the names of tools, which many
 * servers of this one refuse: `a.b` goes out as `a_x2e_b`. An answer is read
 * without its question, so the name alone must say what it was.
 */
export function fitName(name: string, max = MAX_TOOL_NAME): string {
  if (name.length > max) return shortened(name, max);
  const fit = withoutMark(name.replaceAll(/[^A-Za-z0-9_-]|_(?=x[0-9a-f]{2,6})/gu, escaped));
  return fit.length <= max ? fit : shortened(name, max);
}

/** For a tool of free text where a function stands in for it. */
export function standInName(name: string, max = MAX_TOOL_NAME): string {
  return fitName(name, max - TEXT_MARK.length) + TEXT_MARK;
}

/** A name that is sent as it is, unless it would be read as another. */
export function ownName(name: string, max = MAX_TOOL_NAME): string {
  const own = withoutMark(name.replaceAll(/_(?=x[0-9a-f]{2,6}_)/g, escaped));
  return own.length <= max ? own : shortened(name, max);
}

/**
 * The beginning of a name that is too long, and a digest of all of it. What it
 * stands for cannot be read off it: `originalNames` knows.
 */
export function shortened(name: string, max: number): string {
  const beginning = name.slice(0, max - DIGEST_LENGTH - 1).replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return (
    `${/^[A-Za-z_]/.test(beginning) ? "" : "_"}${beginning}`.slice(0, max - DIGEST_LENGTH - 1) +
    `_${digestOf(name)}`
  );
}

function digestOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, DIGEST_LENGTH);
}

const DIGEST_LENGTH = 12;
const SHORTENED = /[0-9a-f]{12}$/;

/**
 * Gives the calls of an answer back the names that the request has for their
 * tools, if those had to be shortened on the way out. An answer without such a
 * name costs nothing.
 */
export function originalNames(
  request: Pick<ChatRequest, "tools" | "messages">,
): (event: ChatEvent) => ChatEvent {
  let known: ReadonlyMap<string, string> | undefined;
  return (event) => {
    if (event.type !== "open" || event.block.type !== "tool_call") return event;
    const [digest] = SHORTENED.exec(event.block.name) ?? [];
    if (digest === undefined) return event;
    known ??= namesByDigest(request);
    const name = known.get(digest);
    return name === undefined ? event : { ...event, block: { ...event.block, name } };
  };
}

function namesByDigest({ tools = [], messages }: Pick<ChatRequest, "tools" | "messages">) {
  const called = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "tool_call" ? [block.name] : [])),
  );
  const names = [...called, ...tools.map(({ name }) => name)];
  return new Map(names.map((name) => [digestOf(name), name]));
}

export function readName(written: string): ToolName {
  const isText = written.endsWith(TEXT_MARK);
  const name = isText ? written.slice(0, -TEXT_MARK.length) : written;
  return { name: name.replaceAll(ESCAPE, unescaped), kind: isText ? "custom" : "function" };
}

const TEXT_MARK = "_xtext_";
const ESCAPE = /_x([0-9a-f]{2,6})_/g;

function escaped(sign: string): string {
  return `_x${sign.codePointAt(0)?.toString(16).padStart(2, "0")}_`;
}

function unescaped(whole: string, code: string): string {
  const sign = Number.parseInt(code, 16);
  return sign > 0x10ffff ? whole : String.fromCodePoint(sign);
}

/** A function may happen to be called so. */
function withoutMark(name: string): string {
  return name.endsWith(TEXT_MARK) ? name.slice(0, -1) + escaped("_") : name;
}
