/** The longest sentences that clients act on are of 350 characters. */
const MAX_LENGTH = 1_000;
/** Words are looked at one by one, so a long text is cut before, not after. */
const MAX_READ = 4_000;

/**
 * A vendor's own words made fit for a caller: keys, account names and addresses
 * inside the operator's networks are taken out, and what is left is kept short.
 * Model ids, field paths, ids of calls and public links stay: callers act on
 * them. The credential and the address that were used are known exactly, and
 * taken out where they are known, in `egress/`.
 */
export function scrub(message: string): string {
  const words = message
    .slice(0, MAX_READ)
    .replaceAll(LINK, scrubLink)
    .replaceAll(IPV6, "[host]")
    .replaceAll(EMAIL, "[address]")
    .split(/\s/);
  const shown = words
    .filter((word) => word !== "")
    .map((word) => (word.includes("://") ? word : scrubWord(word)))
    .join(" ");
  return shown.length <= MAX_LENGTH ? shown : `${shown.slice(0, MAX_LENGTH - 1)}…`;
}

const IPV6 = /\[[0-9a-f]{0,4}:[0-9a-f]{0,4}:[0-9a-f:.]*\](?::\d{1,5})?/gi;
const LINK = /\b[a-z][a-z0-9+.-]{0,15}:\/\/(?:\[[0-9a-f:.]+\])?[^\s"'`<>()[\]{}|\\^]+/gi;
const EMAIL = /\b[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}\b/gi;

/** Public links stay, without a login, a key or an account that stands in them. */
function scrubLink(link: string): string {
  const end = link.search(/[.,;:!?]+$/);
  const bare = end < 0 ? link : link.slice(0, end);
  const [, scheme = "", authority = "", rest = ""] =
    /^([^:]+:\/\/)([^/?#]*)(.*)$/s.exec(bare) ?? [];
  const hasLogin = authority.includes("@");
  if (hasLogin || isInternal(authority)) return `[link]${link.slice(bare.length)}`;
  const shown = rest.replaceAll(/[^/?&=#:.]+/g, (part) =>
    isKey(part) || isAccount(part) ? "[key]" : part,
  );
  return scheme + authority + shown + link.slice(bare.length);
}

function scrubWord(word: string): string {
  return word.split(SEPARATORS).map(scrubPiece).join("");
}

/** Kept by `split`, so that a piece stands between them as it stood. */
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
/** Nearly every vendor's keys begin so. */
const SHORT_STARTS = /^sk[-_]/;
const MIN_SHORT_KEY = 11;

/** A known start, and characters after it that no word has. */
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

/** Stars over the middle of a key. */
function isMasked(piece: string): boolean {
  return piece.includes("***") && /\w/.test(piece) && piece.length >= 8;
}

/** A run of letters and digits as keys without a known start are. Ids of calls have separators. */
function isRandom(piece: string): boolean {
  if (piece.length < 32 || !/^[A-Za-z0-9]+$/.test(piece)) return false;
  return countOf(piece, isDigit) >= 6 && countOf(piece, isLetter) >= 6;
}

const INTERNAL_DOMAINS = new Set(
  "internal local lan svc corp intranet localhost localdomain".split(" "),
);

/** An address that is none on the Internet, or of a machine without a name. */
function isInternal(piece: string): boolean {
  const path = piece.indexOf("/");
  const authority = path < 0 ? piece : piece.slice(0, path);
  if (/^\[[0-9a-f:.]+\](?::\d+)?$/i.test(authority)) return true;
  const [, name = "", port] = /^(.*?)(?::(\d{1,5}))?$/.exec(authority) ?? [];
  if (name.toLowerCase() === "localhost") return true;
  const labels = name.split(".");
  if (labels.some((label) => !/^[A-Za-z0-9-]+$/.test(label))) return false;
  if (labels.length === 4 && labels.every(isByte)) return true;
  // A single word is a host only with the port of one.
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
