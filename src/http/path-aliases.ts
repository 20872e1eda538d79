import type { RouteDescription } from "./routes.ts";

/** Also serves the paths below one prefix under another. */
export interface PathAlias {
  readonly from: string;
  readonly to: string;
}

/**
 * Maps a path to the route path that it is an alias of. A look-up by the first segment excludes
 * most paths.
 */
export function pathAliases(aliases: readonly PathAlias[]): (path: string) => string {
  const byFirstStep = new Map<string, PathAlias[]>();
  // The longest first, so that it wins over its own prefixes.
  for (const alias of aliases.toSorted((a, b) => b.from.length - a.from.length)) {
    const step = firstStep(alias.from);
    byFirstStep.set(step, [...(byFirstStep.get(step) ?? []), alias]);
  }
  if (byFirstStep.size === 0) return (path) => path;
  return (path) => {
    for (const { from, to } of byFirstStep.get(firstStep(path)) ?? NO_ALIASES) {
      if (isBelow(path, from)) return to + path.slice(from.length);
    }
    return path;
  };
}

const NO_ALIASES: readonly PathAlias[] = [];

function firstStep(path: string): string {
  const end = path.indexOf("/", 1);
  return end < 0 ? path : path.slice(0, end);
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}

/** A served path, and its summary in the documents. */
type Served = Pick<RouteDescription, "method" | "path" | "summary">;

/** The aliases that would hide one of the gateway's own paths. */
export function hidingAliases(
  aliases: readonly PathAlias[],
  routes: readonly Served[],
): readonly PathAlias[] {
  return aliases.filter(({ from, to }) =>
    routes.some(
      (route) =>
        isBelow(route.path, from) &&
        // An alias to the same operation hides nothing.
        !routes.some((other) => isSameAt(to + route.path.slice(from.length), route, other)),
    ),
  );
}

function isSameAt(path: string, route: Served, other: Served): boolean {
  return other.path === path && other.method === route.method && other.summary === route.summary;
}
