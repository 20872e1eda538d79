import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import { tryDecodeURIComponent } from "hono/utils/url";
import { API_PREFIX } from "./api/envelope.ts";
import type { RouteDescription } from "./routes.ts";

export interface RouteMatch<R extends RouteDescription> {
  readonly route: R;
  /** A decoded path parameter. */
  param(name: string): string | undefined;
}

/** Finds the route of a method and a path. HEAD uses the route of GET. */
export class Router<R extends RouteDescription> {
  /** Routes without parameters: most calls match one exactly and need no pattern matching. */
  readonly #inFull = new Map<string, RouteMatch<R>>();
  readonly #patterns = new SmartRouter<R>({
    routers: [new RegExpRouter(), new TrieRouter()],
  });

  constructor(routes: readonly R[]) {
    for (const route of routes.toSorted(narrowFirst)) {
      for (const path of pathsOf(route)) {
        this.#patterns.add(route.method, path, route);
        if (!/[:*]/.test(path)) {
          this.#inFull.set(`${route.method} ${path}`, { route, param: noParam });
        }
      }
    }
  }

  find(method: string, path: string): RouteMatch<R> | undefined {
    const known = method === "HEAD" ? "GET" : method;
    return this.#inFull.get(`${known} ${path}`) ?? this.#findPattern(known, path);
  }

  /** All routes of a path: the first one for each method. */
  allAt(path: string): readonly R[] {
    return METHODS.flatMap((method) => this.find(method, path)?.route ?? []);
  }

  #findPattern(method: string, path: string): RouteMatch<R> | undefined {
    const [matches, values] = this.#patterns.match(method, path);
    const [first] = matches;
    if (first === undefined) return undefined;
    const [route, params] = first;
    return {
      route,
      param(name) {
        const found = Object.hasOwn(params, name) ? params[name] : undefined;
        const value = typeof found === "number" ? values?.[found] : found;
        return value === undefined ? undefined : tryDecodeURIComponent(value);
      },
    };
  }
}

const METHODS: readonly RouteDescription["method"][] = ["GET", "POST", "PUT", "DELETE"];

/** Clients of the management API write its paths with or without a trailing slash. */
function pathsOf({ path }: RouteDescription): readonly string[] {
  return path.startsWith(API_PREFIX) ? [path, `${path}/`] : [path];
}

/** The first match wins: patterns that match all below a prefix come after the others there. */
function narrowFirst(a: RouteDescription, b: RouteDescription): number {
  return Number(a.path.endsWith("{.+}")) - Number(b.path.endsWith("{.+}"));
}

function noParam(): undefined {}
