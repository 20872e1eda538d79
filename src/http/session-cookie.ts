const NAME = "sluice_session";
const PENDING = "sluice_sign_on";

/** The session that a browser shows; undefined where it shows none. */
export function readSession(request: Request): string | undefined {
  return readCookie(request, NAME);
}

/** What is kept of a login while the browser is at the identity provider. */
export function readPending(request: Request): string | undefined {
  return readCookie(request, PENDING);
}

/** Goes when the browser does; how long it is good for is ours to say. No script can read it. */
export function sessionCookie(secret: string, isSecure: boolean): string {
  return `${NAME}=${secret}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

export function endedCookie(isSecure: boolean): string {
  return `${sessionCookie("", isSecure)}; Max-Age=0`;
}

/**
 * Shown on the way back, which begins at somebody else's page; nowhere else.
 * Empty to end it. `path`: as browsers see it.
 */
export function pendingCookie(sealed: string, path: string, isSecure: boolean): string {
  const age = sealed === "" ? 0 : 600;
  const cookie = `${PENDING}=${sealed}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${age}`;
  return isSecure ? `${cookie}; Secure` : cookie;
}

export const SESSION_COOKIE = NAME;

function readCookie(request: Request, name: string): string | undefined {
  const cookies = request.headers.get("cookie")?.split(";") ?? [];
  const own = cookies.find((each) => each.trim().startsWith(`${name}=`));
  return own?.trim().slice(name.length + 1);
}
