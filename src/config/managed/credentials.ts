import type { Credential } from "#core/channel.ts";
import { destinationOf, type Destination, type StoredChannel } from "#core/stored-routing.ts";
import type { FilePlace, Report } from "../mistakes.ts";

/** A channel's credentials as a document wants them. */
interface WantedCredentials {
  /** Undefined for those that are stored. */
  readonly credentials: readonly Credential[] | undefined;
  /** As the document says them, but for secrets. */
  readonly shown: readonly string[];
}

const HIDDEN = "***";
/** No placeholder looks like it. */
const NEW = `${HIDDEN} (new)`;

/** What stands for a stored credential in a document: its end, as it is shown everywhere. */
function placeholderOf({ label }: Credential): string {
  return label.replace(/^\.\.\./, HIDDEN);
}

export function placeholdersOf(channel: StoredChannel): readonly string[] {
  const { credentials, sealedCredentials } = channel;
  return [...credentials.map(placeholderOf), ...Array<string>(sealedCredentials).fill(HIDDEN)];
}

/** Puts what is stored in the place of placeholders; what goes elsewhere than it went is not kept. */
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
      report(place, "holds a ${...}: variables are not filled in here.");
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
    if (text.startsWith(HIDDEN)) report(place, objectionTo(placeholders.includes(text)));
    return { credential: each, shown: NEW };
  });
  return {
    credentials: wanted.map(({ credential }) => credential),
    shown: wanted.map(({ shown }) => shown),
  };
}

function objectionTo(isStored: boolean): string {
  return isStored
    ? "stands for a credential that is kept only where it goes; for another provider, address " +
        "or option, or among others where it does not open, write it out."
    : "stands for no credential that is stored for this channel; write it out.";
}
