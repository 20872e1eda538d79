import { type Credential, credential } from "#core/channel.ts";
import { passwordProblem, PASSWORD_CHARS } from "#core/user.ts";
import { parsePairs, parser, type Parser } from "./parsers.ts";

/** A secret in a closure, so that logs, errors and dumps cannot show it by accident. */
export interface Secret {
  readonly open: () => string;
}

const SAMPLES = [
  "changeme",
  "change-me",
  "change_me",
  "replaceme",
  "replace-me",
  "replace_me",
  "your-secret",
  "your_secret",
  "yoursecret",
  "placeholder",
  "0123456789abcdef",
  "1234567890123456",
  "deadbeefdeadbeef",
  "correcthorsebattery",
];
const MIN_DIFFERENT = 6;

/** An API key of clients: it must fit into a header. */
export const apiKey: Parser<Secret> = parser({
  expects: "a secret of 24 to 512 visible ASCII characters without spaces",
  shows: "never",
  parse: (text) => (/^[\x21-\x7e]{24,512}$/.test(text) ? { open: () => text } : undefined),
  format: hide,
});

/** A secret that never leaves the machine. */
export const pepper: Parser<Secret> = parser({
  expects: "a secret of 32 to 1024 visible ASCII characters",
  shows: "never",
  parse: (text) =>
    /^[\x20-\x7e]{32,1024}$/.test(text) && !isSample(text) ? { open: () => text } : undefined,
  format: hide,
  explain: (text) =>
    isSample(text)
      ? "is a sample or far too simple; make one with: openssl rand -hex 32"
      : undefined,
});

/** A user's password. */
export const password: Parser<Secret> = parser({
  expects: `a password of ${PASSWORD_CHARS.min} to ${PASSWORD_CHARS.max} characters`,
  shows: "never",
  parse: (text) =>
    passwordProblem(text) === undefined && !isSample(text) ? { open: () => text } : undefined,
  format: hide,
  explain: (text) =>
    isSample(text)
      ? "is a sample or far too simple; make one with: openssl rand -hex 16"
      : undefined,
});

/** A secret that another party generated, possibly short. */
export const clientSecret: Parser<Secret> = parser({
  expects: "a secret of 1 to 1024 visible ASCII characters without spaces",
  shows: "never",
  parse: (text) => (/^[\x21-\x7e]{1,1024}$/.test(text) ? { open: () => text } : undefined),
  format: hide,
});

export const databaseUrl: Parser<Secret> = parser({
  expects: "a URL that starts with postgres:// or postgresql://",
  shows: "never",
  parse: (text) =>
    /^postgres(ql)?:\/\/[\x21-\x7e]{1,2048}$/.test(text) && URL.canParse(text)
      ? { open: () => text }
      : undefined,
  format: hide,
});

/** A column store that takes the journal. */
export const exportUrl: Parser<Secret> = parser({
  expects: "a URL such as clickhouse://user:password@host:8123/database, with ?secure=true for TLS",
  shows: "never",
  parse: (text) => (isExportUrl(text) ? { open: () => text } : undefined),
  format: hide,
});

function isExportUrl(text: string): boolean {
  if (!/^clickhouse:\/\/[\x21-\x7e]{1,2048}$/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || url.hash !== "") return false;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return false;
  return ["", "?secure=true", "?secure=false"].includes(url.search);
}

export const countersUrl: Parser<Secret> = parser({
  expects: "a URL that starts with redis://, rediss://, valkey:// or valkeys://",
  shows: "never",
  parse: (text) =>
    /^(redis|valkey)s?:\/\/[\x21-\x7e]{1,2048}$/.test(text) && URL.canParse(text)
      ? { open: () => text }
      : undefined,
  format: hide,
});

/** The URL of an HTTP proxy; it may contain a password. */
export const proxyUrl: Parser<Secret> = parser({
  expects: "the URL of an HTTP proxy, which starts with http://",
  shows: "never",
  parse: (text) =>
    /^http:\/\/[\x21-\x7e]{1,2048}$/.test(text) &&
    !/%(?![0-9A-Fa-f]{2})/.test(text) &&
    URL.canParse(text)
      ? { open: () => text }
      : undefined,
  format: hide,
});

export const smtpUrl: Parser<Secret> = parser({
  expects: "a URL such as smtps://user:password@mail.example.com, or smtp://host:25?tls=off",
  shows: "never",
  parse: (text) => (isSmtpUrl(text) ? { open: () => text } : undefined),
  format: hide,
});

function isSmtpUrl(text: string): boolean {
  if (!/^smtps?:\/\/[\x21-\x7e]{1,2048}$/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || url.hash !== "") return false;
  if (/%(?![0-9A-Fa-f]{2})/.test(text) || (url.username === "") !== (url.password === ""))
    return false;
  const isQueryKnown = url.search === "" || (url.search === "?tls=off" && url.protocol === "smtp:");
  return isQueryKnown && (url.pathname === "" || url.pathname === "/");
}

/** A credential for an upstream; some vendors use whole documents, so line breaks are allowed. */
export const upstreamCredential: Parser<Credential> = parser({
  expects: "a credential of at most 16 KiB without white space around it",
  shows: "never",
  parse: (text) =>
    text !== "" && text.length <= 16_384 && text === text.trim() && !/[^\P{Cc}\n\r\t]/u.test(text)
      ? credential(text)
      : undefined,
  format: hide,
  json: { type: "string", minLength: 1, writeOnly: true },
});

/** Headers of which one is a credential. */
export const secretHeaders: Parser<{ open(): Readonly<Record<string, string>> }> = parser({
  expects: "headers such as authorization=Bearer%20TOKEN, separated by commas",
  shows: "never",
  parse(text) {
    const headers = text.length <= 8_192 ? parsePairs(text) : undefined;
    return headers && { open: () => headers };
  },
  format: hide,
});

function hide(): string {
  return "***";
}

function isSample(text: string): boolean {
  const lower = text.toLowerCase();
  return SAMPLES.some((sample) => lower.includes(sample)) || new Set(lower).size < MIN_DIFFERENT;
}
