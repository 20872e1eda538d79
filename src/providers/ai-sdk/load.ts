import { GatewayError } from "#core/error.ts";
import { isMembers, membersOf, textIn } from "./unknown.ts";

/** What a package's model can be asked for, in the interface that all of them share. */
export interface LanguageModel {
  /** Version of that interface. */
  readonly version: "v3" | "v4";
  /** Patterns of the addresses that the vendor fetches itself, by media type. */
  readonly supportedUrls: unknown;
  /**
   * What the package will not carry of a request, before it sends anything. The
   * shared interface tells warnings with the answer only; by convention,
   * packages make request and warnings together in `getArgs`. `undefined` if a
   * package has no such method, or fails in it: then the answer tells.
   */
  foreseeWarnings(options: object): Promise<unknown>;
  doGenerate(options: object): Promise<unknown>;
  doStream(options: object): Promise<unknown>;
}

export interface ModelSource {
  /** Name of an installed package, with a path inside it where it has several entries. */
  readonly package: string;
  /** The export that makes its provider; found by its name where absent. */
  readonly create?: string;
  /** The provider's method that makes a model, where it has one for each of the vendor's interfaces. */
  readonly api?: string;
  /** What the provider is made with. */
  readonly settings: object;
}

/** Named in the code, so that a bundler takes them along. */
const SHIPPED: Readonly<Record<string, () => Promise<unknown>>> = {
  "@ai-sdk/amazon-bedrock": () => import("@ai-sdk/amazon-bedrock"),
  "@ai-sdk/cohere": () => import("@ai-sdk/cohere"),
};

export const PACKAGE_NAME = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*(?:\/[a-z0-9-]+)?$/;

export function isInstalled(name: string): boolean {
  if (Object.hasOwn(SHIPPED, name)) return true;
  if (!PACKAGE_NAME.test(name)) return false;
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Throws `upstream_unreachable` where there is no such package, or it is none of this kind. */
export async function loadModel(source: ModelSource, modelId: string): Promise<LanguageModel> {
  const { package: name, create, api = "languageModel", settings } = source;
  const exported = await importPackage(name);
  const make = findFactory(exported, create);
  if (make === undefined) throw unusable(`'${name}' has no such factory`);
  const provider: unknown = make(settings);
  const method = memberOf(provider, api);
  if (typeof method !== "function") throw unusable(`'${name}' has no '${api}'`);
  return asModel(method.call(provider, modelId), name);
}

async function importPackage(name: string): Promise<unknown> {
  if (!isInstalled(name)) throw unusable(`'${name}' is not installed`);
  try {
    return await (SHIPPED[name]?.() ?? import(name));
  } catch (cause) {
    throw unusable(`'${name}' cannot be loaded`, cause);
  }
}

type Factory = (settings: object) => unknown;

/** `createCohere` and the like: the only one, by whatever names, unless one is named. */
function findFactory(exported: unknown, named: string | undefined): Factory | undefined {
  const found = Object.entries(membersOf(exported)).filter(
    (entry): entry is [string, Factory] =>
      typeof entry[1] === "function" &&
      (named === undefined ? /^create[A-Z]/.test(entry[0]) : entry[0] === named),
  );
  const [factory, another] = new Set(found.map(([, make]) => make));
  return another === undefined ? factory : undefined;
}

function asModel(model: unknown, name: string): LanguageModel {
  const version = textIn(model, "specificationVersion");
  const { doGenerate, doStream, supportedUrls, getArgs } = isMembers(model) ? model : {};
  const isKnown = version === "v3" || version === "v4";
  if (!isKnown || typeof doGenerate !== "function" || typeof doStream !== "function") {
    throw unusable(`'${name}' makes no language models of version 3 or 4`);
  }
  return {
    version,
    supportedUrls,
    async foreseeWarnings(options): Promise<unknown> {
      if (typeof getArgs !== "function") return undefined;
      try {
        return membersOf(await getArgs.call(model, { ...options }))["warnings"];
      } catch {
        return undefined;
      }
    },
    doGenerate: async (options): Promise<unknown> => doGenerate.call(model, options),
    doStream: async (options): Promise<unknown> => doStream.call(model, options),
  };
}

/** Providers are functions with methods, or objects whose class has them. */
function memberOf(value: unknown, name: string): unknown {
  const hasMembers = typeof value === "function" || isMembers(value);
  return hasMembers ? Reflect.get(value, name) : undefined;
}

function unusable(why: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_unreachable", "The upstream's library cannot be used.", {
    cause: new Error(why, { cause }),
  });
}
