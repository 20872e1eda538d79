import type { ModelList } from "./channel.ts";

const STAR = "*";

/** A name such as `openai/*` stands for all names of this form. */
export function isPattern(name: string): boolean {
  return name.includes(STAR);
}

/** The text in place of the star; undefined for a name of another form. The star is not empty. */
export function starOf(pattern: string, name: string): string | undefined {
  const at = pattern.indexOf(STAR);
  const after = pattern.length - at - 1;
  const isAlike =
    name.length >= pattern.length &&
    name.startsWith(pattern.slice(0, at)) &&
    name.endsWith(pattern.slice(at + 1));
  return isAlike ? name.slice(at, name.length - after) : undefined;
}

export function withStar(pattern: string, star: string): string {
  const at = pattern.indexOf(STAR);
  return at < 0 ? pattern : pattern.slice(0, at) + star + pattern.slice(at + 1);
}

/** The mistake of a mapping; undefined for a correct one. */
export function patternProblem(name: string, upstream: string): string | undefined {
  if (name.split(STAR).length > 2 || upstream.split(STAR).length > 2) {
    return "has more than one *. Use one.";
  }
  return isPattern(upstream) && !isPattern(name)
    ? "has no *, but the upstream's name has one."
    : undefined;
}

const asking = new WeakMap<ModelList, boolean>();

/** Whether the names of a channel depend on the vendor's own list. */
export function needsVendorList(models: ModelList): boolean {
  if (models.kind === "discover") return true;
  let known = asking.get(models);
  if (known === undefined) {
    known = [...models.upstreamNames.keys()].some(isPattern);
    asking.set(models, known);
  }
  return known;
}
