import type { SessionStart } from "#core/user.ts";
import { truncateAddress } from "#lib/networks.ts";
import { defined } from "#lib/values.ts";
import { readBearer } from "./credential.ts";
import type { LoginDeps } from "./deps/logins.ts";
import type { Exchange } from "./routes.ts";
import { readSession, sessionCookie } from "./session-cookie.ts";

/** Logs the browser in. An earlier session of the browser is ended. */
export async function startSession(
  { request, client }: Exchange,
  { logins }: Pick<LoginDeps, "logins">,
  userId: number,
  isConfirmed: boolean,
  response: Response,
): Promise<Response> {
  const before = readSession(request);
  if (before !== undefined) await logins.endSession(before);
  const network = client.address === undefined ? undefined : truncateAddress(client.address);
  const userAgent = shortened(request.headers.get("user-agent"));
  const start: SessionStart = { isConfirmed, ...defined({ network, userAgent }) };
  const secret = await logins.startSession(userId, start);
  response.headers.append("set-cookie", sessionCookie(secret, client.isSecure));
  return response;
}

/** Enough to recognise a browser by. */
const MAX_USER_AGENT_CHARS = 160;

function shortened(userAgent: string | null): string | undefined {
  const text = userAgent?.replaceAll(/\p{C}/gu, "").trim().slice(0, MAX_USER_AGENT_CHARS);
  return text === "" ? undefined : text;
}

/** The session that authenticated the request; undefined for an access token. */
export function ownSession({ request }: Exchange): string | undefined {
  return readBearer(request) === undefined ? readSession(request) : undefined;
}
