import type * as t from "@babel/types";
import type { Json, JsonObject } from "#lib/json.ts";
import type { Declared, DeclarationFile } from "./declarations.ts";

/** A value of a type, and which of its members or choices it was made to show. */
export interface Sample {
  readonly shows: string;
  readonly value: Json;
}

/** What a type alone does not tell: the value of a member by its name. */
export type Hints = Readonly<Record<string, Json>>;

/**
 * Values of a declared type, one for each member and each choice that can be
 * made anywhere in it; beside what each shows it holds what is required only.
 */
export class Samples {
  readonly #hints: Hints;

  constructor(hints: Hints) {
    this.#hints = hints;
  }

  of(declared: Declared): readonly Sample[] {
    return this.#ofDeclared(declared, []);
  }

  #ofDeclared({ node, file, scope }: Declared, open: readonly object[]): readonly Sample[] {
    // A type that holds itself is shown once.
    if (open.includes(node)) return [];
    const within: Place = { file, scope: [...scope, node.id?.name ?? ""], open: [...open, node] };
    switch (node.type) {
      case "TSTypeAliasDeclaration":
        return this.#ofType(node.typeAnnotation, within);
      case "TSEnumDeclaration":
        return valuesOf(node).map((value) => ({ shows: JSON.stringify(value), value }));
      default:
        return this.#ofMembers(this.#membersOf({ node, file, scope }), within);
    }
  }

  #ofType(type: t.TSType, place: Place): readonly Sample[] {
    switch (type.type) {
      case "TSUnionType":
        return type.types.flatMap((each) => this.#ofType(each, place));
      case "TSIntersectionType": {
        const parts = type.types.map((each) => this.#ofType(each, place)[0]?.value ?? {});
        // `string & {}` is how clients say that any other string will do.
        const word = parts.find((part) => typeof part === "string");
        if (word !== undefined) return [{ shows: "", value: word }];
        return [{ shows: "", value: Object.assign({}, ...parts) as JsonObject }];
      }
      case "TSParenthesizedType":
        return this.#ofType(type.typeAnnotation, place);
      case "TSArrayType":
        return inList(this.#ofType(type.elementType, place));
      case "TSTypeLiteral":
        return this.#ofMembers(ownMembers(type.members, place), place);
      case "TSLiteralType":
        return literalOf(type).map((value) => ({ shows: JSON.stringify(value), value }));
      case "TSTypeReference":
        return this.#ofReference(type, place);
      default:
        return plainOf(type).map((value) => ({ shows: "", value }));
    }
  }

  #ofReference(type: t.TSTypeReference, place: Place): readonly Sample[] {
    const name = nameOf(type.typeName);
    const [first, second] = type.typeParameters?.params ?? [];
    if (LISTS.has(name) && first !== undefined) return inList(this.#ofType(first, place));
    if (name === "Record" && second !== undefined) {
      const [value] = this.#ofType(second, place);
      return [{ shows: "", value: value === undefined ? {} : { a: value.value } }];
    }
    if ((name === "Omit" || name === "Partial" || name === "Pick") && first !== undefined)
      return this.#ofType(first, place);
    const declared = place.file.find(name, place.scope);
    if (declared === undefined) throw new Error(`The type ${name} is declared nowhere.`);
    return this.#ofDeclared(declared, place.open);
  }

  #ofMembers(members: readonly Member[], place: Place): readonly Sample[] {
    const required = Object.fromEntries(
      members.flatMap((each) => {
        if (each.isOptional) return [];
        const [first] = this.#ofMember(each, place);
        return first === undefined ? [] : [[each.name, first.value]];
      }),
    );
    const shown = members.flatMap((each) =>
      this.#ofMember(each, place).map(({ shows, value }) => ({
        shows: `.${each.name}${shows === "" || shows.startsWith(".") || shows.startsWith("[") ? shows : `=${shows}`}`,
        value: { ...required, [each.name]: value },
      })),
    );
    return [{ shows: "", value: required }, ...shown];
  }

  #ofMember({ name, type, place }: Member, { open }: Place): readonly Sample[] {
    const hint = this.#hints[name];
    if (hint !== undefined) return [{ shows: "", value: hint }];
    return this.#ofType(type, { ...place, open });
  }

  /** Those of an interface with those that it extends. */
  #membersOf({ node, file, scope }: Declared): readonly Member[] {
    const place: Place = { file, scope: [...scope, node.id?.name ?? ""], open: [] };
    if (node.type === "ClassDeclaration") return ownMembers(node.body.body, place);
    if (node.type !== "TSInterfaceDeclaration") return [];
    const inherited = (node.extends ?? []).flatMap(({ expression }) => {
      const parent = file.find(nameOf(expression), scope);
      return parent === undefined ? [] : this.#membersOf(parent);
    });
    const own = ownMembers(node.body.body, place);
    const names = new Set(own.map(({ name }) => name));
    return [...inherited.filter(({ name }) => !names.has(name)), ...own];
  }
}

interface Place {
  readonly file: DeclarationFile;
  readonly scope: readonly string[];
  /** Types that this one stands in. */
  readonly open: readonly object[];
}

interface Member {
  readonly name: string;
  readonly type: t.TSType;
  readonly isOptional: boolean;
  readonly place: Place;
}

const LISTS = new Set(["Array", "ReadonlyArray", "Iterable"]);

function inList(items: readonly Sample[]): readonly Sample[] {
  return items.map(({ shows, value }) => ({ shows: `[]${shows}`, value: [value] }));
}

function ownMembers(nodes: readonly t.Node[], place: Place): readonly Member[] {
  return nodes.flatMap((node) => {
    const isField = node.type === "TSPropertySignature" || node.type === "ClassProperty";
    if (!isField || node.computed === true) return [];
    const annotation = node.typeAnnotation;
    if (annotation?.type !== "TSTypeAnnotation") return [];
    const { key } = node;
    const name =
      key.type === "Identifier" ? key.name : key.type === "StringLiteral" ? key.value : "";
    const type = annotation.typeAnnotation;
    return [{ name, type, isOptional: node.optional === true, place }];
  });
}

function literalOf({ literal }: t.TSLiteralType): readonly Json[] {
  switch (literal.type) {
    case "StringLiteral":
    case "NumericLiteral":
    case "BooleanLiteral":
      return [literal.value];
    default:
      return ["text"];
  }
}

function plainOf({ type }: t.TSType): readonly Json[] {
  switch (type) {
    case "TSStringKeyword":
      return ["text"];
    case "TSNumberKeyword":
      return [1];
    case "TSBooleanKeyword":
      return [true, false];
    case "TSUnknownKeyword":
    case "TSAnyKeyword":
    case "TSObjectKeyword":
      return [{}];
    default:
      // null and undefined are what an optional member is without it.
      return [];
  }
}

function valuesOf({ members, body }: t.TSEnumDeclaration): readonly string[] {
  return (members ?? body?.members ?? []).flatMap(({ initializer }) =>
    initializer?.type === "StringLiteral" ? [initializer.value] : [],
  );
}

function nameOf(entity: t.TSEntityName | t.Expression): string {
  if (entity.type === "Identifier") return entity.name;
  if (entity.type === "TSQualifiedName") return `${nameOf(entity.left)}.${entity.right.name}`;
  if (entity.type === "MemberExpression" && entity.property.type === "Identifier")
    return `${nameOf(entity.object)}.${entity.property.name}`;
  return "";
}
