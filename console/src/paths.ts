/**
 * The paths of the pages: the gateway answers a browser's request for one of
 * them, and for anything below it, with the console.
 */
export const PAGE_PATHS = [
  "/",
  "/login",
  "/setup",
  "/logs",
  "/usage",
  "/channels",
  "/models",
  "/keys",
  "/users",
  "/teams",
  "/groups",
  "/invitations",
  "/playground",
  "/tasks",
  "/assets",
  "/alerts",
  "/audit",
  "/settings",
  "/account",
  "/about",
  "/docs/api",
  "/pricing",
] as const;

const BEFORE_LOGIN: readonly string[] = ["/login", "/setup", "/pricing"];

const OF_PAGES: Readonly<Record<string, readonly string[]>> = {
  "/": ["/api/home"],
  "/keys": ["/api/token?p=1&page_size=100"],
};

/**
 * The first requests of a page: a browser begins them together with the scripts, and not after
 * them. `self` is asked with any query, the others only without one.
 */
export function firstRequestsOf(path: string): {
  readonly self: readonly string[];
  readonly others: readonly string[];
} {
  return {
    self: BEFORE_LOGIN.includes(path) ? [] : ["/api/user/self"],
    others: OF_PAGES[path] ?? [],
  };
}
