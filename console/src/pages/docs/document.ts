/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly additionalProperties?: Schema | boolean;
}

export interface Listed extends Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
}

/** All operations in the order of the document. */
export function operationsOf(document: ApiDocument): readonly Listed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? "",
    })),
  );
}

export function resolve(schema: Schema, document: ApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  return document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {};
}

/** A type in a few words, such as `string | null` or `Token[]`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(" | ");
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(" & ");
  if (schema.type === "array") return `${typeOf(schema.items ?? {})}[]`;
  return [schema.type ?? "any"].flat().join(" | ");
}

const MAX_DEPTH = 4;

/** An example of a body: required fields with a value of their type. */
export function exampleOf(schema: Schema, document: ApiDocument, depth = 0): unknown {
  const known = resolve(schema, document);
  if (known.const !== undefined) return known.const;
  if (known.enum !== undefined) return known.enum[0];
  const [choice] = known.anyOf ?? known.oneOf ?? known.allOf ?? [];
  if (choice !== undefined) return exampleOf(choice, document, depth);
  const type = [known.type].flat()[0];
  if (type === "array")
    return depth > MAX_DEPTH || known.items === undefined
      ? []
      : [exampleOf(known.items, document, depth + 1)];
  if (type === "object" || known.properties !== undefined) {
    const fields = (known.required ?? []).flatMap((name) => {
      const field = known.properties?.[name];
      return field === undefined || depth > MAX_DEPTH
        ? []
        : [[name, exampleOf(field, document, depth + 1)]];
    });
    return Object.fromEntries(fields);
  }
  if (type === "string") return "";
  if (type === "boolean") return false;
  return type === "integer" || type === "number" ? 0 : null;
}

export function accessOf({ security = [] }: Pick<Listed, "security">): "key" | "login" | "none" {
  const names = security.flatMap((each) => Object.keys(each));
  if (names.length === 0) return "none";
  return names.some((name) => /session|token|login/i.test(name)) ? "login" : "key";
}
