import { credential, type Credential } from "#core/channel.ts";
import { destinationOf, type Destination } from "#core/stored-routing.ts";
import { deriveKey } from "#lib/derive-key.ts";
import { seal, unseal } from "#lib/envelope.ts";

const KEY_USE = "sluice: credentials of channels";

/** Credentials as they are kept: each opens only for its own channel, place and destination. */
export interface CredentialSealer {
  seal(credentials: readonly Credential[], channelId: number, to: Destination): readonly string[];
  /** Undefined where one of them does not open. */
  open(
    sealed: readonly string[],
    channelId: number,
    to: Destination,
  ): readonly Credential[] | undefined;
}

/** Keyed from the secret beside the database: a copy of the database alone opens nothing. */
export function openCredentialSealer(secret: Uint8Array): CredentialSealer {
  const key = deriveKey(secret, KEY_USE);
  return {
    seal: (credentials, channelId, to) =>
      credentials.map((each, place) => seal(each.open(), key, contextOf(channelId, to, place))),

    open(sealed, channelId, to) {
      try {
        return sealed.map((each, place) =>
          credential(unseal(each, key, contextOf(channelId, to, place))),
        );
      } catch {
        // Which byte was wrong is nobody's business; that it does not open is told by the caller.
        return undefined;
      }
    },
  };
}

function contextOf(channelId: number, to: Destination, place: number): string {
  return JSON.stringify(["channels", channelId, destinationOf(to), `credentials[${place}]`]);
}
