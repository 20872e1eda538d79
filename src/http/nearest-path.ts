import { editDistance } from "#lib/edit-distance.ts";
import { templateOf } from "./template.ts";
import { tidyPath } from "./path-rewrites.ts";
import type { RouteDescription } from "./routes.ts";

interface NearestPath {
  /** As documents write it: `/v1/models/{id}`. */
  readonly path: string;
  readonly route: RouteDescription;
}

const MAX_LENGTH = 128;
/** Maximum edit distance per character of the path. */
const MAX_DIFFERENCE = 0.25;

/** The served path that is most similar to an unknown one. */
export function nearestPath(
  unknown: string,
  routes: readonly RouteDescription[],
): NearestPath | undefined {
  const path = tidyPath(unknown);
  if (path === "/" || path.length > MAX_LENGTH) return undefined;
  let nearest: RouteDescription | undefined;
  let least = Math.max(2, Math.ceil(path.length * MAX_DIFFERENCE)) + 1;
  for (const route of routes) {
    const distance = distanceBetween(path, filledIn(route.path, path), least);
    if (distance >= least) continue;
    nearest = route;
    least = distance;
  }
  return nearest && { path: templateOf(nearest.path), route: nearest };
}

/** Replaces a route's parameters by the values at the same positions of the path. */
function filledIn(pattern: string, path: string): string {
  if (!pattern.includes(":")) return pattern;
  const given = path.split("/");
  return pattern
    .split("/")
    .map((step, at) => (step.startsWith(":") ? (given[at] ?? step) : step))
    .join("/");
}

/** A path that starts or ends with the other is nearer than one with a misspelt segment. */
function distanceBetween(path: string, served: string, limit: number): number {
  if (path.endsWith(served)) return 0.5;
  if (served.startsWith(`${path}/`)) return 0.75;
  if (Math.abs(path.length - served.length) >= limit) return limit;
  return editDistance(path, served, limit);
}
