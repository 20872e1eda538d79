import { isObject, parseJson } from "#lib/json.ts";
import type { Seal } from "#lib/seal.ts";
import { textOf } from "#lib/values.ts";

/** Stored encrypted: these secrets give access to a person's group and receive its callback. */
interface SessionSecrets {
  readonly token: string;
  readonly upstreamToken: string;
  readonly callbackUrl: string;
}

export function sealSecrets(secrets: SessionSecrets, sessionId: string, seal: Seal): string {
  return seal.close(new TextEncoder().encode(JSON.stringify(secrets)), sessionId);
}

/** Undefined after they were deleted. */
export function openSecrets(
  sealed: string,
  sessionId: string,
  seal: Seal,
): SessionSecrets | undefined {
  const bytes = sealed === "" ? undefined : seal.open(sealed, sessionId);
  const json = bytes && parseJson(new TextDecoder().decode(bytes));
  if (!isObject(json)) return undefined;
  const token = textOf(json["token"]);
  const upstreamToken = textOf(json["upstreamToken"]);
  const callbackUrl = textOf(json["callbackUrl"]);
  if (token === undefined || upstreamToken === undefined || callbackUrl === undefined) {
    return undefined;
  }
  return { token, upstreamToken, callbackUrl };
}
