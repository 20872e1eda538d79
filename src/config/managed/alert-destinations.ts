import {
  addressProblem,
  shownUrl,
  type AlertDestination,
  type DestinationAddress,
  type DestinationKind,
} from "#core/alert.ts";
import { createWebhookSecret } from "#lib/standard-webhooks.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { DESTINATION_FIELDS } from "../documents/alert.ts";
import { ALWAYS, fields, list, uniqueNames } from "../documents/fields.ts";
import type { FilePlace, Report } from "../mistakes.ts";
import { text } from "../parsers.ts";
import { findNode, readDocument } from "../read-document.ts";
import { listed, type Section, type Stored, type Wanted } from "./section.ts";

const HIDDEN = "***";

interface StoredDestination extends Stored {
  readonly destination: AlertDestination;
}

/** A placeholder is not an address by itself. */
const DOCUMENTED = fields({
  ...DESTINATION_FIELDS,
  url: text("a URL", /^[\x21-\x7e]{1,2048}$/)
    .schema.describe("Address that messages are posted to.")
    .optional(),
});

/** Destinations of alerts. Their addresses and secrets are placeholders. */
export const alertDestinations: Section<StoredDestination> = {
  async load(stores) {
    const found = await stores.alertDestinations.list();
    return new Map(
      found.map((destination) => [
        destination.name,
        {
          destination,
          fields: fieldsOf(destination, destination.address),
          stamp: [destination.id, destination.updatedAt],
          delete: (on) => on.alertDestinations.delete(destination.id),
        },
      ]),
    );
  },

  read(node, stored, _, report) {
    const wanted = new Map<string, Wanted>();
    if (node.kind === "empty") return wanted;
    const schema = list(DOCUMENTED).superRefine(uniqueNames, ALWAYS);
    for (const [index, given] of (readDocument(schema, node, report) ?? []).entries()) {
      const { name, kind, status } = given;
      const place = findNode(node, [index])?.place ?? node.place;
      const before = stored.get(name)?.destination;
      const address = addressOf(kind, defined(given), before, place, report);
      const entry = { name, kind, isEnabled: status !== "disabled" };
      const isKept = address === before?.address;
      wanted.set(name, {
        place: findNode(node, [index, "name"])?.place ?? place,
        fields: { ...fieldsOf(entry, address), ...(isKept ? {} : changed(address)) },
        save: ({ alertDestinations: store }) =>
          before === undefined
            ? store.create({ ...entry, address })
            : store.change(before.id, { ...entry, ...(isKept ? {} : { address }) }),
      });
    }
    return wanted;
  },

  write: listed,
};

type Given = DestinationAddress;

/** The requested address; the stored one itself if it stays. */
function addressOf(
  kind: DestinationKind,
  { url, secret, to }: Given,
  before: AlertDestination | undefined,
  place: FilePlace,
  report: Report,
): DestinationAddress {
  const known = before?.kind === kind ? before.address : undefined;
  const isUrlKept = known?.url !== undefined && (url === shownUrl(known.url) || url === known.url);
  if (url?.includes(HIDDEN) === true && !isUrlKept) {
    report(place, "has a URL that is the placeholder of another one. Write the URL itself.");
  }
  const isSecretKept = secret === HIDDEN || kind === "webhook";
  if (secret === HIDDEN && !(isUrlKept && known?.secret !== undefined)) {
    report(place, "has the placeholder of a secret for another URL. Write the secret itself.");
  }
  if (kind === "webhook" && secret !== undefined) {
    report(place, "of kind webhook has no 'secret': the gateway makes it.");
  }
  const wanted = defined({
    url: isUrlKept ? known.url : url,
    secret: isSecretKept
      ? ((isUrlKept ? known.secret : undefined) ??
        (kind === "webhook" ? createWebhookSecret() : undefined))
      : secret,
    to,
  });
  const problem = addressProblem(kind, wanted);
  if (problem !== undefined) report(place, problem);
  return known !== undefined && JSON.stringify(known) === JSON.stringify(wanted) ? known : wanted;
}

function fieldsOf(
  { kind, isEnabled }: Pick<AlertDestination, "kind" | "isEnabled">,
  address: DestinationAddress | undefined,
): JsonObject {
  const { url, secret, to } = address ?? {};
  return {
    kind,
    ...(isEnabled ? {} : { status: "disabled" }),
    ...(url === undefined ? {} : { url: shownUrl(url) }),
    ...(secret === undefined || kind === "webhook" ? {} : { secret: HIDDEN }),
    ...defined({ to }),
  };
}

/** No placeholder has this form. */
function changed({ url, secret }: DestinationAddress): JsonObject {
  return {
    ...(url === undefined ? {} : { url: `${shownUrl(url)} (new)` }),
    ...(secret === undefined ? {} : { secret: `${HIDDEN} (new)` }),
  };
}
