import type { RedactionKind } from "#core/content-log.ts";
import type { TextSpan } from "#lib/linear-pattern.ts";

/**
 * Finds each kind of text in a time that grows with the length of the text only: every regular
 * expression below has bounded quantifiers, or nothing to match after an unbounded one.
 */
export const FIND_KIND: Readonly<Record<RedactionKind, (text: string) => readonly TextSpan[]>> = {
  email: findEmails,
  phone: findPhones,
  card: findCards,
  key: (text) => KEYS.flatMap((pattern) => findAll(text, pattern)),
};

const LOCAL = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const DOMAIN = /[\p{L}\p{N}.-]/u;
const MAX_LOCAL_CHARS = 64;
const MAX_DOMAIN_CHARS = 253;

function findEmails(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > at - MAX_LOCAL_CHARS && LOCAL.test(text.charAt(start - 1))) start--;
    let end = at + 1;
    while (end <= at + MAX_DOMAIN_CHARS && DOMAIN.test(text.charAt(end))) end++;
    const domain = text.slice(at + 1, end).replace(/[.-]{1,253}$/, "");
    if (start < at && /\.[\p{L}\p{N}-]{2,63}$/u.test(domain)) {
      spans.push({ start, end: at + 1 + domain.length });
    }
  }
  return spans;
}

const PHONES = [
  // With a country code.
  /(?<![\w+])\+\d(?:[ .()/-]{0,2}\d){6,14}(?!\d)/g,
  // North America.
  /(?<![\w.])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-])/g,
  // Mobile numbers in China.
  /(?<![\w.-])1[3-9]\d(?:\d{8}|[- ]\d{4}[- ]\d{4})(?![\w-])/g,
  // With the trunk prefix of most other countries.
  /(?<![\w.-])\(?0\d{1,4}\)?[ /-]{1,2}\d{2,9}(?:[ /-]\d{2,8}){0,3}(?![\w-])/g,
];
/** Shorter groups of digits are dates and times. */
const MIN_PHONE_DIGITS = 8;

function findPhones(text: string): TextSpan[] {
  return PHONES.flatMap((pattern) => findAll(text, pattern)).filter(
    ({ start, end }) => text.slice(start, end).replaceAll(/\D/g, "").length >= MIN_PHONE_DIGITS,
  );
}

/** Digits with single separators between them. */
const DIGIT_RUN = /\d(?:[ -]?\d){12,60}/g;
/** First digits and lengths of the networks' numbers; ISO/IEC 7812 assigns them. */
const CARD =
  /^(?:4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3[0689]\d{12}|35\d{14}|6\d{15,18})$/;
const MAX_GROUPS = 8;

function findCards(text: string): TextSpan[] {
  return findAll(text, DIGIT_RUN).flatMap(({ start, end }) => {
    // A card's number begins and ends with a group of digits.
    const groups = findAll(text.slice(start, end), /\d{1,61}/g);
    const candidates = groups.flatMap((first, at) =>
      groups
        .slice(at, at + MAX_GROUPS)
        .map((last) => ({ start: start + first.start, end: start + last.end })),
    );
    return candidates.filter((each) => isCard(text.slice(each.start, each.end)));
  });
}

function isCard(written: string): boolean {
  const digits = written.replaceAll(/\D/g, "");
  return CARD.test(digits) && hasLuhnDigit(digits);
}

/** ISO/IEC 7812-1, annex B. */
function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = digit * 2;
    sum += at % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Our own secrets, and the forms in which vendors issue theirs. */
const KEYS = [
  // OpenAI, Anthropic, DeepSeek, OpenRouter, Stripe and many others, and our own keys.
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,512}/g,
  /\bslc-[a-z]{1,16}_[A-Za-z0-9]{16,128}/g,
  // Google.
  /\bAIza[A-Za-z0-9_-]{30,64}/g,
  /\bAQ\.[A-Za-z0-9_-]{30,128}/g,
  /\bya29\.[A-Za-z0-9_.-]{20,1024}/g,
  // Amazon.
  /\b(?:AKIA|ASIA|ABSK)[A-Za-z0-9+/=]{16,256}/g,
  // GitHub, GitLab, Slack, Hugging Face, npm.
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|hf_|npm_)[A-Za-z0-9_-]{16,255}/g,
  // Groq, xAI, Perplexity, Replicate, NVIDIA, Fireworks, Together, Jina, Voyage.
  /\b(?:gsk_|xai-|pplx-|r8_|nvapi-|fw_|tgp_v1_|jina_|pa-)[A-Za-z0-9_-]{20,255}/g,
  // Zhipu.
  /\b[0-9a-f]{32}\.[A-Za-z0-9]{16}\b/g,
  // JSON Web Tokens.
  /\beyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,1024}/g,
  // An Authorization header.
  /\b[Bb]earer [A-Za-z0-9._~+/=-]{20,4096}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{1,16384}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
];

function findAll(text: string, pattern: RegExp): TextSpan[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}
