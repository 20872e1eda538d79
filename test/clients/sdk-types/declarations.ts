import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "@babel/parser";
import type * as t from "@babel/types";

/** A named type, and the file that says it, in which its own names are looked up. */
export interface Declared {
  readonly node:
    | t.TSInterfaceDeclaration
    | t.TSTypeAliasDeclaration
    | t.TSEnumDeclaration
    | t.ClassDeclaration;
  readonly file: DeclarationFile;
  /** The namespaces around it, outermost first. */
  readonly scope: readonly string[];
}

/** One `.d.ts` of an official client: its types by their qualified names. */
export class DeclarationFile {
  readonly #path: string;
  readonly #types = new Map<string, Omit<Declared, "file">>();
  /** Local name to where it comes from; without `name` it stands for the whole file. */
  readonly #imports = new Map<string, { readonly from: string; readonly name?: string }>();

  private constructor(path: string) {
    this.#path = path;
    const { body } = parse(readFileSync(path, "utf8"), {
      sourceType: "module",
      plugins: [["typescript", { dts: true }]],
    }).program;
    this.#collect(body, []);
  }

  static readonly #opened = new Map<string, DeclarationFile>();

  static open(path: string): DeclarationFile {
    const known = DeclarationFile.#opened.get(path);
    if (known !== undefined) return known;
    const file = new DeclarationFile(path);
    DeclarationFile.#opened.set(path, file);
    return file;
  }

  /** By its name as written within these namespaces: `Inner`, `Outer.Inner`, `Imported.Name`. */
  find(name: string, scope: readonly string[] = []): Declared | undefined {
    for (let depth = scope.length; depth >= 0; depth--) {
      const found = this.#types.get([...scope.slice(0, depth), name].join("."));
      if (found !== undefined) return { ...found, file: this };
    }
    const [first = "", ...rest] = name.split(".");
    const imported = this.#imports.get(first);
    // A class may hand out the types of its file as its own: `Messages.Message`.
    if (imported === undefined) return rest.length === 0 ? undefined : this.find(rest.join("."));
    const path = fileOf(join(dirname(this.#path), imported.from));
    if (path === undefined) return undefined;
    const steps = imported.name === undefined ? rest : [imported.name, ...rest];
    return DeclarationFile.open(path).find(steps.join("."));
  }

  #collect(statements: readonly t.Statement[], scope: readonly string[]): void {
    for (const statement of statements) {
      const inner = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      switch (inner?.type) {
        case "TSInterfaceDeclaration":
        case "TSTypeAliasDeclaration":
        case "TSEnumDeclaration":
          this.#types.set([...scope, inner.id.name].join("."), { node: inner, scope });
          break;
        case "ClassDeclaration":
          if (inner.id)
            this.#types.set([...scope, inner.id.name].join("."), { node: inner, scope });
          break;
        case "TSModuleDeclaration":
          if (inner.id.type === "Identifier" && inner.body.type === "TSModuleBlock") {
            this.#collect(inner.body.body, [...scope, inner.id.name]);
          }
          break;
        case "ImportDeclaration":
          this.#collectImport(inner);
          break;
        default:
      }
    }
  }

  #collectImport({ specifiers, source }: t.ImportDeclaration): void {
    const from = source.value;
    if (!from.startsWith(".")) return;
    for (const each of specifiers) {
      if (each.type === "ImportNamespaceSpecifier") this.#imports.set(each.local.name, { from });
      if (each.type !== "ImportSpecifier") continue;
      const { imported } = each;
      const name = imported.type === "Identifier" ? imported.name : imported.value;
      this.#imports.set(each.local.name, { from, name });
    }
  }
}

function fileOf(written: string): string | undefined {
  const bare = written.replace(/\.m?js$/, "");
  return [`${bare}.d.ts`, `${bare}/index.d.ts`].find((path) => existsSync(path));
}
