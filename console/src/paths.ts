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
