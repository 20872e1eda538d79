/** Before `/publishers/google` or after the version: where clients of the vendor's cloud name their project. */
const PROJECT = "/projects/:project/locations/:location";

/** Clients of the vendor's cloud write its publisher before the model, and a project before that. */
export const CLOUD_PREFIXES: readonly string[] = ["/v1beta1", "/v1", "/v1beta"].flatMap(
  (version) => [`${version}/publishers/google`, `${version}${PROJECT}/publishers/google`],
);

/** Everything under which `/models/{model}:{verb}` is served. */
export const NATIVE_PREFIXES: readonly string[] = ["/v1beta", "/v1", ...CLOUD_PREFIXES];

/** The part of a cloud client's path before `/models/`, without its version: how it names operations. */
export function cloudParentOf(path: string): string | undefined {
  return /^\/v1(?:beta1?)?\/((?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google)\//.exec(
    path,
  )?.[1];
}
