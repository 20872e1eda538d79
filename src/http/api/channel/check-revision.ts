import { GatewayError, invalid } from "#core/error.ts";
import type { StoredChannel } from "#core/stored-routing.ts";
import type { Exchange } from "#http/routes.ts";
import { seconds } from "../seconds.ts";

/** The revision that a change is based on, from the header or a field; undefined if it names none. */
export function expectedRevision(
  { request }: Pick<Exchange, "request">,
  given: number | undefined,
): number | undefined {
  const header = request.headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return given;
  const [, digits] = /^"([1-9]\d{0,14})"$/.exec(header) ?? [];
  if (digits === undefined) {
    throw invalid(
      "If-Match",
      `'If-Match' must be the ETag of the channel, such as "3", or its revision in quotes.`,
    );
  }
  if (given !== undefined && given !== Number(digits)) {
    throw invalid("revision", "'revision' and 'If-Match' differ. Send one of them.");
  }
  return Number(digits);
}

/** Refuses a change that is based on another revision; the error names the changed fields. */
export function checkRevision(stored: StoredChannel, expected: number | undefined): void {
  const { revision, changes, name } = stored;
  if (expected === undefined || expected === revision) return;
  const since = changes.filter((each) => each.revision > expected);
  const fields = [...new Set(since.flatMap((each) => each.fields))];
  const what = fields.length === 0 ? "" : ` Changed since: ${fields.join(", ")}.`;
  throw new GatewayError(
    "revision_outdated",
    `The channel '${name}' is at revision ${revision}, not ${expected}.${what} ` +
      "Read the channel again and repeat the change.",
    {
      param: "revision",
      details: {
        revision,
        changes: since.map((each) => ({
          revision: each.revision,
          at: seconds(each.at),
          fields: each.fields,
        })),
      },
    },
  );
}

export function etagOf({ revision }: Pick<StoredChannel, "revision">): string {
  return `"${revision}"`;
}
