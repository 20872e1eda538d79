/** The target of a path of the vendor. */
export type Address =
  | { readonly kind: "models" }
  | { readonly kind: "model"; readonly version: string; readonly model: string }
  | {
      readonly kind: "call";
      readonly version: string;
      readonly model: string;
      /** `generateContent`, what follows the last colon. */
      readonly verb: string;
    }
  | { readonly kind: "caches"; readonly version: string }
  | { readonly kind: "cache"; readonly name: string }
  | { readonly kind: "operation"; readonly model: string; readonly id: string }
  | { readonly kind: "download"; readonly id: string }
  | {
      /** A model as projects reach it, below their own paths. */
      readonly kind: "project call";
      /** "projects/…/locations/…/publishers/google/models/…" */
      readonly parent: string;
      readonly model: string;
      readonly verb: string;
    };

/** The same paths under both versions, and those of projects; `undefined` for all others. */
export function readAddress(path: string): Address | undefined {
  const project = readProjectAddress(path);
  if (project !== undefined) return project;
  const [, version, rest] = path.match(/^\/(v1beta|v1)\/(.+)$/) ?? [];
  if (version === undefined || rest === undefined) return undefined;
  if (rest === "models") return { kind: "models" };
  if (rest === "cachedContents") return { kind: "caches", version };

  const cache = rest.match(/^cachedContents\/([\w-]+)$/)?.[1];
  if (cache !== undefined) return { kind: "cache", name: `cachedContents/${cache}` };

  const file = rest.match(/^files\/([a-z\d]+):download$/)?.[1];
  if (file !== undefined) return { kind: "download", id: file };
  const [, filming = "", operation] = rest.match(/^models\/([^/]+)\/operations\/([\w-]+)$/) ?? [];
  if (operation !== undefined) return { kind: "operation", model: decoded(filming), id: operation };

  const [, segment, verb] = rest.match(/^models\/([^/]+?)(?::(\w+))?$/) ?? [];
  if (segment === undefined) return undefined;
  const model = decoded(segment);
  return verb === undefined
    ? { kind: "model", version, model }
    : { kind: "call", version, model, verb };
}

/** Of the calls only, since nothing else is asked of a model. */
export function modelIn(path: string): string | undefined {
  const address = readAddress(path);
  return address?.kind === "call" || address?.kind === "project call" ? address.model : undefined;
}

/** Who has a key and no project may leave that out. */
function readProjectAddress(path: string): Address | undefined {
  const [, project = "projects/sandbox/locations/global/", segment, verb] =
    path.match(
      /^\/v1(?:beta1)?\/(projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/models\/([^/:]+):(\w+)$/,
    ) ?? [];
  if (segment === undefined || verb === undefined) return undefined;
  const model = decoded(segment);
  return {
    kind: "project call",
    parent: `${project}publishers/google/models/${model}`,
    model,
    verb,
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
