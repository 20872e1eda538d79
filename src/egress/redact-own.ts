import type { UpstreamRequest } from "./egress.ts";

/** Shorter parts of a credential could be ordinary words. */
const MIN_PART_CHARS = 12;

/**
 * The text of an error without the request's credential and without the
 * channel's address if it is private. Nothing else is removed: the client may
 * need it.
 */
export function withoutOwn(
  text: string,
  { credential, url, hidesAddress }: Pick<UpstreamRequest, "credential" | "url" | "hidesAddress">,
): string {
  let shown = text;
  for (const secret of spellingsOf(credential?.open() ?? "")) {
    shown = replaceWhole(shown, secret, "[key]");
  }
  if (hidesAddress !== true) return shown;
  shown = replaceWhole(shown, url.host, "[host]");
  return replaceWhole(shown, url.hostname, "[host]");
}

/** The secret, its parts, and both in JSON and URL encoding. */
function spellingsOf(secret: string): readonly string[] {
  if (secret === "") return [];
  const parts = secret.split(/[:|,\s]/).filter((part) => part.length >= MIN_PART_CHARS);
  const plain = [secret, ...parts];
  const spelt = plain.flatMap((each) => [
    each,
    JSON.stringify(each).slice(1, -1),
    encodeURIComponent(each),
  ]);
  return [...new Set(spelt)].sort((a, b) => b.length - a.length);
}

const WORD = /[A-Za-z0-9]/;

/** Whole words only, because a credential may be short. */
function replaceWhole(text: string, sought: string, shown: string): string {
  let out = "";
  let from = 0;
  for (;;) {
    const at = text.indexOf(sought, from);
    if (at < 0) return out + text.slice(from);
    const end = at + sought.length;
    const isInWord =
      (WORD.test(text.charAt(at - 1)) && WORD.test(sought.charAt(0))) ||
      (WORD.test(text.charAt(end)) && WORD.test(sought.at(-1) ?? ""));
    out += text.slice(from, at) + (isInWord && sought.length < MIN_PART_CHARS ? sought : shown);
    from = end;
  }
}
