import type { Credential } from "#core/channel.ts";
import { destinationOf, type Destination, type StoredChannel } from "#core/stored-routing.ts";
import type { FilePlace, Report } from "../mistakes.ts";

/** The credentials that a document requests for a channel. */
interface WantedCredentials {
  /** Undefined if the stored ones stay. */
  readonly credentials: readonly Credential[] | undefined;
  /** In the notation of the document, without secrets. */
  readonly shown: readonly string[];
}

const HIDDEN = "***";
/** No placeholder has this form. */
const NEW = `${HIDDEN} (new)`;

/** The placeholder of a stored credential in a document: its label. */
function placeholderOf({ label }: Credential): string {
  return label.replace(/^\.\.\./, HIDDEN);
}

export function placeholdersOf(channel: StoredChannel): readonly string[] {
  const { credentials, sealedCredentials } = channel;
  return [...credentials.map(placeholderOf), ...Array<string>(sealedCredentials).fill(HIDDEN)];
}

/** Replaces placeholders by the stored credentials; reports those with a changed destination. */
export function readCredentials(
  given: readonly Credential[],
  to: Destination,
  stored: StoredChannel | undefined,
  place: FilePlace,
  report: Report,
): WantedCredentials {
  const texts = given.map((each) => each.open());
  for (const text of texts) {
    if (/\$\{[A-Za-z_]/.test(text))
      report(place, "contains ${...}, but variables are not expanded here.");
  }
  const isKept = stored !== undefined && destinationOf(stored) === destinationOf(to);
  const placeholders = stored === undefined ? [] : placeholdersOf(stored);
  if (isKept && JSON.stringify(texts) === JSON.stringify(placeholders)) {
    return { credentials: undefined, shown: placeholders };
  }

  const left = isKept ? [...stored.credentials] : [];
  const wanted = given.map((each) => {
    const text = each.open();
    const at = left.findIndex((one) => one.open() === text || placeholderOf(one) === text);
    const [found] = at < 0 ? [] : left.splice(at, 1);
    if (found !== undefined) return { credential: found, shown: placeholderOf(found) };
    if (text.startsWith(HIDDEN)) report(place, placeholderError(placeholders.includes(text)));
    return { credential: each, shown: NEW };
  });
  return {
    credentials: wanted.map(({ credential }) => credential),
    shown: wanted.map(({ shown }) => shown),
  };
}

function placeholderError(isStored: boolean): string {
  return isStored
    ? "is the placeholder of a credential with another destination. For a new provider, address " +
        "or option, or if it cannot be decrypted, write the credential itself."
    : "matches no stored credential of this channel. Write the credential itself.";
}
