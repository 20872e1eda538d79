const NAME = "sluice_session";
const PENDING = "sluice_sign_on";

/** The session in the browser's cookie; undefined if absent. */
export function readSession(request: Request): string | undefined {
  return readCookie(request, NAME);
}

/** The login state that the browser holds while it is at the identity provider. */
export function readPending(request: Request): string | undefined {
  return readCookie(request, PENDING);
}

/**
 * A session cookie that ends with the browser; the server decides when the session expires. Scripts
 * cannot read it.
 */
export function sessionCookie(secret: string, isSecure: boolean): string {
  return `${NAME}=${secret}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

export function endedCookie(isSecure: boolean): string {
  return `${sessionCookie("", isSecure)}; Max-Age=0`;
}

/**
 * Sent only on the redirect back from the identity provider. An empty value deletes it. `path`: as
 * browsers see it.
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
