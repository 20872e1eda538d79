/** What a path of the vendor points at. */
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
  | { readonly kind: "cache"; readonly name: string };

/** The same paths under both versions; `undefined` for all others. */
export function readAddress(path: string): Address | undefined {
  const [, version, rest] = path.match(/^\/(v1beta|v1)\/(.+)$/) ?? [];
  if (version === undefined || rest === undefined) return undefined;
  if (rest === "models") return { kind: "models" };
  if (rest === "cachedContents") return { kind: "caches", version };

  const cache = rest.match(/^cachedContents\/([\w-]+)$/)?.[1];
  if (cache !== undefined) return { kind: "cache", name: `cachedContents/${cache}` };

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
  return address?.kind === "call" ? address.model : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
