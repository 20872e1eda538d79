/**
 * Path part by which clients of the vendor's cloud name their project: before `/publishers/google`
 * or after the version.
 */
const PROJECT = "/projects/:project/locations/:location";

/** Clients of the vendor's cloud put the publisher before the model, and a project before that. */
export const CLOUD_PREFIXES: readonly string[] = ["/v1beta1", "/v1", "/v1beta"].flatMap(
  (version) => [`${version}/publishers/google`, `${version}${PROJECT}/publishers/google`],
);

/** All prefixes below which `/models/{model}:{verb}` is served. */
export const NATIVE_PREFIXES: readonly string[] = ["/v1beta", "/v1", ...CLOUD_PREFIXES];

/**
 * The part of a cloud client's path before `/models/`, without the version. Operation names start
 * with it.
 */
export function cloudParentOf(path: string): string | undefined {
  return /^\/v1(?:beta1?)?\/((?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google)\//.exec(
    path,
  )?.[1];
}
