import { parse } from "@babel/parser";
import { VISITOR_KEYS, type Expression, type Node } from "@babel/types";

/** One small change of a source file that some test should notice. */
export interface Mutant {
  readonly line: number;
  /** What was changed into what, for the report. */
  readonly change: string;
  /** The whole file with the change. */
  readonly text: string;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "-": "+",
  "*": "/",
  "/": "*",
};
const SWAPPED_METHODS: ReadonlyMap<string, string> = new Map([
  ["max", "min"],
  ["min", "max"],
  ["some", "every"],
  ["every", "some"],
  ["ceil", "floor"],
]);
const SHOWN_CHARACTERS = 60;

/** Every mutant of a file, in the order of its lines. Throws if the file does not parse. */
export function mutantsOf(path: string, text: string): readonly Mutant[] {
  const { program } = parse(text, {
    sourceType: "module",
    sourceFilename: path,
    plugins: ["typescript", "explicitResourceManagement"],
  });
  const edits: Edit[] = [];
  for (const node of nodesOf(program)) edits.push(...editsOf(node, text));
  return edits
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, replacement }) => ({
      line: text.slice(0, start).split("\n").length,
      change: `${shown(text.slice(start, end))} -> ${shown(replacement)}`,
      text: text.slice(0, start) + replacement + text.slice(end),
    }));
}

/** All nodes that run; types are left out. */
function* nodesOf(node: Node): Generator<Node> {
  if (node.type.startsWith("TS") && !("expression" in node)) return;
  yield node;
  for (const key of VISITOR_KEYS[node.type] ?? []) {
    const child = (node as unknown as Record<string, unknown>)[key];
    for (const each of Array.isArray(child) ? child : [child]) {
      if (isNode(each)) yield* nodesOf(each);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function editsOf(node: Node, text: string): readonly Edit[] {
  const source = ({ start, end }: Node): string => text.slice(start ?? 0, end ?? 0);
  const replace = ({ start, end }: Node, replacement: string): Edit => ({
    start: start ?? 0,
    end: end ?? 0,
    replacement,
  });
  /** Only the operator, so that the operands keep their own mutants. */
  const replaceOperator = (left: Node, from: string, to: string): Edit => {
    const start = text.indexOf(from, left.end ?? 0);
    return { start, end: start + from.length, replacement: to };
  };
  switch (node.type) {
    case "BinaryExpression": {
      const { left, right, operator } = node;
      const isSum = operator === "+" && isNumeric(left) && isNumeric(right);
      const other = isSum ? "-" : OPERATORS[operator];
      return other === undefined ? [] : [replaceOperator(left, operator, other)];
    }
    case "LogicalExpression": {
      const { left, right, operator } = node;
      if (operator === "??") return [replace(node, source(right))];
      return [replaceOperator(left, operator, operator === "&&" ? "||" : "&&")];
    }
    case "ConditionalExpression":
      return [replace(node.test, `!(${source(node.test)})`)];
    case "IfStatement":
      return [replace(node.test, "false"), replace(node.test, "true")];
    case "UnaryExpression":
      return node.operator === "!" ? [replace(node, source(node.argument))] : [];
    case "BooleanLiteral":
      return [replace(node, String(!node.value))];
    case "ExpressionStatement":
      return [replace(node, ";")];
    case "MemberExpression": {
      const { property } = node;
      const other = property.type === "Identifier" ? SWAPPED_METHODS.get(property.name) : undefined;
      return other === undefined ? [] : [replace(property, other)];
    }
    default:
      return [];
  }
}

/** A sum of texts has no difference to try. */
function isNumeric({ type }: Expression | Node): boolean {
  return type !== "TemplateLiteral" && type !== "StringLiteral";
}

function shown(source: string): string {
  const line = source.replaceAll(/\s+/g, " ");
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}...` : line;
}
