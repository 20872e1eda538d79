/** `/v1/models/:id{.+}` is `/v1/models/{id}` in the API document; a verb at the end of a pattern stays. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)(?:\{[^:}]*(:\w+)?\})?/g, "{$1}$2");
}
