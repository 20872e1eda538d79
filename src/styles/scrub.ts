const MAX_LENGTH = 300;
/** Words are looked at one by one, so a long text is cut before, not after. */
const MAX_READ = 4_000;

/**
 * A vendor's own words made fit for a caller: links, hosts, addresses, keys
 * and account names are taken out, whatever is left is kept short.
 */
export function scrub(message: string): string {
  const words = message.slice(0, MAX_READ).split(/\s/);
  const shown = words
    .filter((word) => word !== "")
    .map(scrubWord)
    .join(" ");
  return shown.length <= MAX_LENGTH ? shown : `${shown.slice(0, MAX_LENGTH - 1)}…`;
}

function scrubWord(word: string): string {
  if (word.includes("://")) return "[link]";
  if (word.includes("@") && word.includes(".")) return "[address]";
  return word.split(SEPARATORS).map(scrubPiece).join("");
}

/** Kept by `split`, so that a piece stands between them as it stood. */
const SEPARATORS = /([\s"'`()[\]{}<>,;=|]+)/;

function scrubPiece(piece: string): string {
  const core = trimmed(piece);
  if (isSecret(core)) return piece.replace(core, "[key]");
  if (isHost(core)) return piece.replace(core, "[host]");
  return piece;
}

function trimmed(piece: string): string {
  let end = piece.length;
  while (end > 0 && ".:!?".includes(piece.charAt(end - 1))) end--;
  return piece.slice(0, end);
}

const SECRET_STARTS = [
  "sk-",
  "sk_",
  "pk-",
  "rk-",
  "AIza",
  "gsk_",
  "xai-",
  "hf_",
  "AKIA",
  "ya29.",
  "eyJ",
];
const ACCOUNT_STARTS = ["arn:", "org-", "proj_", "user_", "user-", "acct_", "account-"];

/** By its start, by the stars somebody put over its middle, or as a long run that no word is. */
function isSecret(piece: string): boolean {
  if (piece.length < 8) return false;
  if (SECRET_STARTS.some((start) => piece.startsWith(start))) return true;
  if (ACCOUNT_STARTS.some((start) => piece.startsWith(start))) return true;
  if (piece.includes("***")) return true;
  return piece.length >= 24 && isTokenLike(piece);
}

function isTokenLike(piece: string): boolean {
  let digits = 0;
  let letters = 0;
  for (const character of piece) {
    if (character >= "0" && character <= "9") digits++;
    else if (isLetter(character)) letters++;
    else if (!"-_.+/".includes(character)) return false;
  }
  return digits >= 4 && letters >= 4;
}

const TOP_DOMAINS = new Set(
  "com net org io ai dev app cloud cn co eu de uk us run sh tech internal local lan svc corp intranet".split(
    " ",
  ),
);

function isHost(piece: string): boolean {
  const path = piece.indexOf("/");
  const authority = path < 0 ? piece : piece.slice(0, path);
  const colon = authority.lastIndexOf(":");
  const name = colon < 0 ? authority : authority.slice(0, colon);
  if (name === "localhost") return true;
  const labels = name.split(".");
  if (labels.length < 2 || labels.some((label) => !isLabel(label))) return false;
  if (labels.length === 4 && labels.every(isByte)) return true;
  return TOP_DOMAINS.has((labels.at(-1) ?? "").toLowerCase());
}

function isLabel(label: string): boolean {
  if (label === "") return false;
  for (const character of label) {
    const isDigit = character >= "0" && character <= "9";
    if (!isDigit && !isLetter(character) && character !== "-") return false;
  }
  return true;
}

function isByte(label: string): boolean {
  const value = Number(label);
  return Number.isInteger(value) && value >= 0 && value <= 255;
}

function isLetter(character: string): boolean {
  return (character >= "a" && character <= "z") || (character >= "A" && character <= "Z");
}
