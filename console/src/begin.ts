import type { QueryClient } from "@tanstack/react-query";
import { hooks } from "./api/client.ts";
import { isBeforeLogin, requestOfRole } from "./paths.ts";
import { isAtLeast } from "./app/pages.ts";

/** Whether a page is for users who are logged in. */
export function isInside(path: string): boolean {
  return !isBeforeLogin(path);
}

/** Asks who the user is, and begins the first request of the page while the page is drawn. */
export async function begin(client: QueryClient): Promise<void> {
  try {
    const { data } = await client.fetchQuery(hooks.queryOptions("get", "/api/user/self", {}));
    const isBare = location.search === "";
    const first = requestOfRole(location.pathname, isAtLeast(data.role, "auditor"));
    if (isBare && first !== undefined) preload(first);
  } catch {
    // The page asks again, and shows the failure or the login.
  }
}

/** The browser gives the answer to the request that the page makes for the same address. */
function preload(href: string): void {
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "fetch", crossOrigin: "anonymous", href });
  document.head.append(link);
}
