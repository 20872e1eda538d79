/** What ends the operation ids of routes that are served under several prefixes: `/v1beta1/publishers/google` is `V1beta1Publishers`. */
export function suffixOf(prefix: string): string {
  const [version = "", kind = ""] = prefix.split("/").filter((step) => step !== "");
  return capitalized(version) + capitalized(kind);
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
