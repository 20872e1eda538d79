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

/** Pages that need no session, some of which links in mails open. */
export function isBeforeLogin(path: string): boolean {
  return BEFORE_LOGIN.includes(path) || /^\/account\/[^/]/.test(path);
}

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

/** Requests that depend on the role of the user: they begin as soon as it is known. */
const OF_ROLES: Readonly<Record<string, { readonly auditor: string; readonly user: string }>> = {
  "/logs": { auditor: "/api/log?page_size=100", user: "/api/log/self?page_size=100" },
};

/** The first request of a page without a query, once the role is known. */
export function requestOfRole(path: string, isAuditor: boolean): string | undefined {
  return OF_ROLES[path]?.[isAuditor ? "auditor" : "user"];
}
