/** The longest messages that clients parse have 350 characters. */
const MAX_LENGTH = 1_000;
/** Each word is checked, so a long text is cut before the check. */
const MAX_READ = 4_000;

/**
 * Sanitizes a vendor's message for clients: removes keys, account names and addresses of internal
 * networks, and shortens the rest. Model ids, field paths, call ids and public links stay, because
 * clients use them. `egress/` removes the credential and the address of the request, which it knows
 * exactly.
 */
export function scrub(message: string, isSent: IsSent = NOTHING_SENT): string {
  const unlessSent =
    (shown: string) =>
    (found: string): string =>
      isSent(found) ? found : shown;
  const words = message
    .slice(0, MAX_READ)
    .replaceAll(LINK, (link) => scrubLink(link, isSent))
    .replaceAll(IPV6, unlessSent("[host]"))
    .replaceAll(EMAIL, unlessSent("[address]"))
    .split(/\s/);
  const shown = words
    .filter((word) => word !== "")
    .map((word) => (word.includes("://") ? word : scrubWord(word, isSent)))
    .join(" ");
  return shown.length <= MAX_LENGTH ? shown : `${shown.slice(0, MAX_LENGTH - 1)}…`;
}

/**
 * Whether the client's request contains a part of the message: then it is no secret to the client.
 */
export type IsSent = (piece: string) => boolean;

const NOTHING_SENT: IsSent = () => false;

/**
 * Links of a request that `scrub` would remove from a message. Only these are kept until its stream
 * ends.
 */
export function hiddenLinksIn(request: string): readonly string[] {
  const found = new Set<string>();
  let looked = 0;
  for (let at = request.indexOf("://"); at >= 0; at = request.indexOf("://", at + 3)) {
    if (++looked > MAX_LINKS || found.size >= MAX_HIDDEN_LINKS) break;
    const [scheme] = SCHEME.exec(request.slice(Math.max(0, at - 16), at)) ?? [];
    if (scheme === undefined) continue;
    const piece = request.slice(at - scheme.length, at + MAX_LINK_CHARS);
    const [link] = piece.match(LINK) ?? [];
    if (link !== undefined && scrubLink(link, NOTHING_SENT) !== link) found.add(link);
  }
  return [...found];
}

const SCHEME = /[a-z][a-z0-9+.-]{0,15}$/i;
const MAX_LINKS = 1_000;
const MAX_HIDDEN_LINKS = 20;
const MAX_LINK_CHARS = 1_000;

const IPV6 = /\[[0-9a-f]{0,4}:[0-9a-f]{0,4}:[0-9a-f:.]*\](?::\d{1,5})?/gi;
const LINK = /\b[a-z][a-z0-9+.-]{0,15}:\/\/(?:\[[0-9a-f:.]+\])?[^\s"'`<>()[\]{}|\\^]+/gi;
const EMAIL = /\b[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}\b/gi;

/** Keeps public links, without a login, key or account in them. */
function scrubLink(link: string, isSent: IsSent): string {
  const end = link.search(/[.,;:!?]+$/);
  const bare = end < 0 ? link : link.slice(0, end);
  const [, scheme = "", authority = "", rest = ""] =
    /^([^:]+:\/\/)([^/?#]*)(.*)$/s.exec(bare) ?? [];
  if (isSent(bare)) return link;
  const hasLogin = authority.includes("@");
  if (hasLogin || isInternal(authority)) return `[link]${link.slice(bare.length)}`;
  const shown = rest.replaceAll(/[^/?&=#:.]+/g, (part) =>
    (isKey(part) || isAccount(part)) && !isSent(part) ? "[key]" : part,
  );
  return scheme + authority + shown + link.slice(bare.length);
}

function scrubWord(word: string, isSent: IsSent): string {
  return word
    .split(SEPARATORS)
    .map((piece) => {
      const scrubbed = scrubPiece(piece);
      return scrubbed !== piece && isSent(trimmed(piece)) ? piece : scrubbed;
    })
    .join("");
}

/** A capturing group, so that `split` keeps the separators. */
const SEPARATORS = /([\s"'`()[\]{}<>,;=|]+)/;

function scrubPiece(piece: string): string {
  const core = trimmed(piece);
  if (isKey(core) || isAccount(core) || isMasked(core) || isRandom(core)) {
    return piece.replace(core, "[key]");
  }
  if (isInternal(core)) return piece.replace(core, "[host]");
  return piece;
}

function trimmed(piece: string): string {
  let end = piece.length;
  while (end > 0 && ".:!?".includes(piece.charAt(end - 1))) end--;
  return piece.slice(0, end);
}

const KEY_STARTS = [
  "sk-",
  "sk_",
  "pk-",
  "pk_",
  "rk-",
  "rk_",
  "pa-",
  "fw_",
  "jina_",
  "AIza",
  "gsk_",
  "xai-",
  "hf_",
  "AKIA",
  "ASIA",
  "ya29.",
  "eyJ",
];
const MIN_KEY = 16;
/** Prefix of the keys of nearly every vendor. */
const SHORT_STARTS = /^sk[-_]/;
const MIN_SHORT_KEY = 11;

/** A known prefix, followed by characters that no word has. */
function isKey(piece: string): boolean {
  const least = SHORT_STARTS.test(piece) ? MIN_SHORT_KEY : MIN_KEY;
  if (piece.length < least || !KEY_STARTS.some((start) => piece.startsWith(start))) return false;
  return /^[\w.+/=-]+$/.test(piece) && countOf(piece, isDigit) >= 2;
}

const ACCOUNT = /^(?:org|proj|acct|account|user)[-_]([A-Za-z0-9]{12,})$/;

/** The operator's account with the vendor. */
function isAccount(piece: string): boolean {
  if (piece.startsWith("arn:") && piece.length > 8) return true;
  const [, id] = ACCOUNT.exec(piece) ?? [];
  return id !== undefined && countOf(id, isDigit) >= 2;
}

/** A key masked with asterisks. */
function isMasked(piece: string): boolean {
  return piece.includes("***") && /\w/.test(piece) && piece.length >= 8;
}

/** A run of letters and digits, like a key without a known prefix. Call ids have separators. */
function isRandom(piece: string): boolean {
  if (piece.length < 32 || !/^[A-Za-z0-9]+$/.test(piece)) return false;
  return countOf(piece, isDigit) >= 6 && countOf(piece, isLetter) >= 6;
}

const INTERNAL_DOMAINS = new Set(
  "internal local lan svc corp intranet localhost localdomain".split(" "),
);

/** An IP address, or a host name that is not on the public Internet. */
function isInternal(piece: string): boolean {
  const path = piece.indexOf("/");
  const authority = path < 0 ? piece : piece.slice(0, path);
  if (/^\[[0-9a-f:.]+\](?::\d+)?$/i.test(authority)) return true;
  const [, name = "", port] = /^(.*?)(?::(\d{1,5}))?$/.exec(authority) ?? [];
  if (name.toLowerCase() === "localhost") return true;
  const labels = name.split(".");
  if (labels.some((label) => !/^[A-Za-z0-9-]+$/.test(label))) return false;
  if (labels.length === 4 && labels.every(isByte)) return true;
  // A single word counts as a host only if a port follows.
  if (labels.length < 2) return port !== undefined && port.length >= 4 && /[a-z]/i.test(name);
  return INTERNAL_DOMAINS.has((labels.at(-1) ?? "").toLowerCase());
}

function isByte(label: string): boolean {
  const value = Number(label);
  return /^\d{1,3}$/.test(label) && value <= 255;
}

function countOf(text: string, is: (character: string) => boolean): number {
  let count = 0;
  for (const character of text) if (is(character)) count++;
  return count;
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function isLetter(character: string): boolean {
  return (character >= "a" && character <= "z") || (character >= "A" && character <= "Z");
}
