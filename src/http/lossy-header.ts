/**
 * Names of request members that were not forwarded. Some are the client's own, and a header holds
 * ASCII only.
 */
export function lossyHeader(lost: readonly string[]): Readonly<Record<string, string>> {
  const names = lost.map((name) => name.toWellFormed().replaceAll(ODD, encodeURIComponent));
  return names.length > 0 ? { "sluice-lossy": names.join(", ") } : {};
}

const ODD = /[^\x21-\x7e]|,/gu;
