import type { Tool } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, objectOf, textOf } from "#lib/values.ts";
import { clientToolOf } from "./client-tools.ts";
import { RESPONSES } from "../raw-fields.ts";

/** The type of the input item that declares tools. */
export const ADDED_TOOLS = "additional_tools";

/** A tool as its caller wrote it, and where. */
export interface DeclaredTool {
  readonly wire: JsonObject;
  /** Unique in its request; empty for a tool that has no name. */
  readonly name: string;
  readonly namespace?: string;
  /** Description of the namespace, at the first of its tools. */
  readonly about?: string;
  /** Declared by an item of the input, not by `tools`. */
  readonly isAdded: boolean;
}

/**
 * All tools of a request: of `tools`, of the namespaces in it, and of input
 * items that add tools. Other styles know neither namespaces nor such items.
 */
export function declaredTools(body: JsonObject): readonly DeclaredTool[] {
  const added = listOf(body["input"])
    .filter(isObject)
    .filter(({ type }) => type === ADDED_TOOLS)
    .flatMap(({ tools }) => listOf(tools));
  const tools = [...flatten(body["tools"], false), ...flatten(added, true)];
  const plain = tools.filter(isPlain);
  const names = new Set(plain.map(({ wire }) => ownNameOf(wire)));
  const known = new Set(plain.map(keyOf));
  return tools.flatMap((tool) => {
    const ownName = ownNameOf(tool.wire);
    if (isPlain(tool)) return [{ ...tool, name: ownName }];
    if (ownName === "") return [{ ...tool, name: "" }];
    // An item may declare once more what stands in `tools`.
    if (known.has(keyOf(tool))) return [];
    known.add(keyOf(tool));
    const name = unusedName(flatName(tool.namespace, ownName), names);
    names.add(name);
    return [{ ...tool, name }];
  });
}

type Flattened = Omit<DeclaredTool, "name">;

function flatten(list: Json | undefined, isAdded: boolean): readonly Flattened[] {
  return listOf(list)
    .filter(isObject)
    .flatMap((wire): readonly Flattened[] => {
      if (wire["type"] !== "namespace") return [{ wire, isAdded }];
      const namespace = textOf(wire["name"]) ?? "";
      const about = textOf(wire["description"]) ?? "";
      return listOf(wire["tools"])
        .filter(isObject)
        .map((tool, index) => ({
          wire: tool,
          namespace,
          isAdded,
          ...(index === 0 && about !== "" ? { about } : {}),
        }));
    });
}

/** A function or a custom tool in `tools` keeps its name. */
function isPlain({ wire, namespace, isAdded }: Flattened): boolean {
  return namespace === undefined && !isAdded && clientToolOf(wire) === undefined;
}

function ownNameOf(wire: JsonObject): string {
  const name = textOf(wire["name"]);
  if (name !== undefined) return name;
  return clientToolOf(wire) === undefined ? "" : (textOf(wire["type"]) ?? "");
}

/** The namespace in which some clients put their own functions. */
const DEFAULT_NAMESPACE = "functions";

function flatName(namespace: string | undefined, name: string): string {
  if (namespace === undefined || namespace === DEFAULT_NAMESPACE) return name;
  return namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
}

function unusedName(name: string, used: ReadonlySet<string>): string {
  let unused = name;
  for (let number = 2; used.has(unused); number++) unused = `${name}_${number}`;
  return unused;
}

function keyOf({ wire, namespace }: Pick<Flattened, "wire" | "namespace">): string {
  const isClient = clientToolOf(wire) !== undefined;
  return isClient ? clientKey(ownNameOf(wire)) : nameKey(namespace, ownNameOf(wire));
}

function nameKey(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? null, name]);
}

/** A function may have the name of a tool that the style names by its type. */
function clientKey(type: string): string {
  return JSON.stringify([type]);
}

/** How a tool of the hub was declared, unless that was as a plain function or custom tool. */
interface Declaration {
  readonly wire: JsonObject;
  readonly name: string;
  readonly namespace?: string;
  readonly isAdded: boolean;
}

export function rawDeclarationOf(tool: DeclaredTool): Tool["rawFields"] {
  if (isPlain(tool)) return undefined;
  const { wire, namespace, isAdded } = tool;
  return { [RESPONSES]: { tool: wire, namespace: namespace ?? null, isAdded } };
}

export function declarationOf({ rawFields }: Tool): Declaration | undefined {
  const own = rawFields?.[RESPONSES];
  const wire = objectOf(own?.["tool"]);
  if (own === undefined || wire === undefined) return undefined;
  return {
    wire,
    name: ownNameOf(wire),
    ...defined({ namespace: textOf(own["namespace"]) }),
    isAdded: own["isAdded"] === true,
  };
}

/** Names of a request's tools in the hub, by namespace and name. */
export class ToolNames {
  readonly #names = new Map<string, string>();

  constructor(tools: readonly Tool[] = []) {
    for (const tool of tools) {
      const declared = declarationOf(tool);
      if (declared === undefined) continue;
      this.#names.set(keyOf(declared), tool.name);
    }
  }

  /** Also of a tool that is declared no more. */
  nameOf(namespace: string | undefined, name: string): string {
    return this.#names.get(nameKey(namespace, name)) ?? flatName(namespace, name);
  }

  /** Of a tool that the style names by its type. */
  clientNameOf(type: string): string {
    return this.#names.get(clientKey(type)) ?? type;
  }
}
