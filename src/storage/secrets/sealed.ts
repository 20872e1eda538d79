import { credential, type Credential } from "#core/channel.ts";
import { destinationOf, type Destination } from "#core/stored-routing.ts";
import { deriveKey } from "#lib/derive-key.ts";
import { seal, unseal } from "#lib/envelope.ts";

const KEY_USE = "sluice: credentials of channels";

/** Stored credentials: each can be decrypted only for its own channel, position and destination. */
export interface CredentialSealer {
  seal(credentials: readonly Credential[], channelId: number, to: Destination): readonly string[];
  /** Undefined if one of them cannot be decrypted. */
  open(
    sealed: readonly string[],
    channelId: number,
    to: Destination,
  ): readonly Credential[] | undefined;
}

/** The key comes from the secret outside the database: a copy of the database alone is useless. */
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
        // The cause is not revealed; the caller reports that decryption failed.
        return undefined;
      }
    },
  };
}

function contextOf(channelId: number, to: Destination, place: number): string {
  return JSON.stringify(["channels", channelId, destinationOf(to), `credentials[${place}]`]);
}
