/**
 * Names of request members that were not forwarded. Some are the client's own, and a header holds
 * ASCII only.
 */
export function lossyHeader(lost: readonly string[]): Readonly<Record<string, string>> {
  if (lost.length === 0) return NO_HEADERS;
  const names = lost.map((name) => name.toWellFormed().replaceAll(ODD, encodeURIComponent));
  return { "sluice-lossy": names.join(", ") };
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

const ODD = /[^\x21-\x7e]|,/gu;
