const NAME = "sluice_session";

/** The session that a browser shows; undefined where it shows none. */
export function readSession(request: Request): string | undefined {
  const cookies = request.headers.get("cookie")?.split(";") ?? [];
  const own = cookies.find((each) => each.trim().startsWith(`${NAME}=`));
  return own?.trim().slice(NAME.length + 1);
}

/** Goes when the browser does; how long it is good for is ours to say. No script can read it. */
export function sessionCookie(secret: string, isSecure: boolean): string {
  return `${NAME}=${secret}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

export function endedCookie(isSecure: boolean): string {
  return `${sessionCookie("", isSecure)}; Max-Age=0`;
}

export const SESSION_COOKIE = NAME;
