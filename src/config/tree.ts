import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { type Environment, expand } from "./expand.ts";
import { type FilePlace, quote, type Report } from "./mistakes.ts";

/** A value of the file: text with its position, or a collection of values. */
export type FileNode = TextNode | ListNode | MapNode | EmptyNode | BrokenNode;

interface TextNode {
  readonly kind: "text";
  readonly place: FilePlace;
  /** With variables expanded. */
  readonly text: string;
  /** Without expanded variables, so that messages never contain a variable's value. */
  readonly written: string;
}

interface ListNode {
  readonly kind: "list";
  readonly place: FilePlace;
  readonly items: readonly FileNode[];
}

export interface MapNode {
  readonly kind: "map";
  readonly place: FilePlace;
  readonly members: ReadonlyMap<string, Member>;
}

export interface Member {
  /** Position of the key, with the path of the value. */
  readonly place: FilePlace;
  readonly node: FileNode;
}

/** A key without a value. */
interface EmptyNode {
  readonly kind: "empty";
  readonly place: FilePlace;
}

/** A value with a mistake that is already reported. */
interface BrokenNode {
  readonly kind: "broken";
  readonly place: FilePlace;
}

interface Tree {
  readonly root: FileNode;
  /** Environment variables that the file refers to. */
  readonly variables: ReadonlySet<string>;
}

/** Converts an offset in the text to a position. */
type Locate = (offset: number, path: string) => FilePlace;

const MAX_DEPTH = 16;
const MAX_NODES = 100_000;
const MAX_ALIASES = 100;

const NULL_SCALAR = /^(?:~|null|Null|NULL)?$/;

/**
 * Converts parsed YAML into nodes with positions. Variables are expanded, or
 * left as written, and aliases are followed. An alias copies its anchor's
 * value, so nested copies are limited by the number of nodes, and no value can
 * contain itself.
 */
export function buildTree(
  contents: Node | null,
  locate: Locate,
  env: Environment | "as written",
  report: Report,
): Tree {
  const variables = new Set<string>();
  const anchors = new Map<string, Node>();
  let nodes = 0;
  let aliases = 0;
  let copying = 0;

  return { root: build(contents, locate(0, ""), 0), variables };

  function build(node: Node | null, parent: FilePlace, depth: number): FileNode {
    const place = locate(node?.range?.[0] ?? 0, parent.path);
    nodes++;
    if (nodes > MAX_NODES) {
      if (nodes === MAX_NODES + 1) report(place, `is beyond the limit of ${MAX_NODES} values.`);
      return { kind: "broken", place };
    }
    if (depth > MAX_DEPTH) return broken(place, "is nested too deeply.");
    if (node === null) return { kind: "empty", place: parent };
    if (isAlias(node)) return follow(node.source, place, depth);

    const built = buildValue(node, place, depth);
    // Registered after the value is built, so that it cannot contain an alias of itself.
    if (copying === 0 && node.anchor !== undefined) anchors.set(node.anchor, node);
    return built;
  }

  function buildValue(node: Node, place: FilePlace, depth: number): FileNode {
    if (isMap(node)) return buildMap(node, place, depth);
    if (isSeq(node)) {
      const items = node.items.map((item, index) =>
        build(toNode(item), { ...place, path: `${place.path}[${index}]` }, depth + 1),
      );
      return { kind: "list", place, items };
    }
    if (!isScalar(node)) return broken(place, "is not supported here.");

    const written = typeof node.value === "string" ? node.value : "";
    const isPlain = node.type === "PLAIN" && node.tag === undefined;
    if (isPlain && NULL_SCALAR.test(written)) return { kind: "empty", place };
    return fillIn(written, place);
  }

  function buildMap(map: YAMLMap, place: FilePlace, depth: number): FileNode {
    const members = new Map<string, Member>();
    for (const pair of map.items) {
      const key = toNode(pair.key);
      const keyPlace = locate(key?.range?.[0] ?? 0, place.path);
      if (key === null || !isScalar(key) || typeof key.value !== "string") {
        report(keyPlace, "has a name that is not plain text.");
        continue;
      }
      const name = key.value;
      const earlier = members.get(name)?.place.position?.line;
      if (earlier !== undefined) {
        report(keyPlace, `${quote(name)} is a duplicate; the first is on line ${earlier}.`);
        continue;
      }
      const path = joinPath(place.path, name);
      const node = build(toNode(pair.value), { ...keyPlace, path }, depth + 1);
      members.set(name, { place: keyPlace, node });
    }
    return { kind: "map", place, members };
  }

  function follow(anchor: string, place: FilePlace, depth: number): FileNode {
    aliases++;
    if (aliases > MAX_ALIASES) {
      const why = `exceeds the limit of ${MAX_ALIASES} aliases.`;
      if (aliases === MAX_ALIASES + 1) report(place, why);
      return { kind: "broken", place };
    }
    const node = anchors.get(anchor);
    if (node === undefined) {
      return broken(
        place,
        "is an alias (*) without an earlier anchor (&). Quote a literal asterisk.",
      );
    }
    copying++;
    const copy = buildValue(node, place, depth);
    copying--;
    return copy;
  }

  function fillIn(written: string, place: FilePlace): FileNode {
    if (env === "as written") return { kind: "text", place, text: written, written };
    const expansion = expand(written, env);
    for (const name of expansion.variables) variables.add(name);
    if (expansion.mistakes.length === 0) {
      return { kind: "text", place, text: expansion.text, written };
    }
    for (const mistake of expansion.mistakes) report(place, mistake);
    return { kind: "broken", place };
  }

  function broken(place: FilePlace, why: string): FileNode {
    report(place, why);
    return { kind: "broken", place };
  }
}

function toNode(value: unknown): Node | null {
  return isNode(value) ? value : null;
}

/** `channels[0].name`, and `models["gpt-4.1"]` if the name is not an identifier. */
export function joinPath(path: string, name: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return `${path}[${quote(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}
