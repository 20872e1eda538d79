/** Sends mail of the gateway: invitations, confirmations and alerts. */
export interface Mailer {
  /**
   * Resolves once the mail server took the mail for every recipient. Throws
   * `invalid_request` for a mail that no server takes, `overloaded`, and
   * `upstream_unreachable`, `upstream_timeout` or `upstream_failed`.
   */
  send(mail: Mail): Promise<void>;
}

export interface Mail {
  /** Addresses without names; each recipient sees all of them. */
  readonly to: readonly string[];
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

const MAX_RECIPIENTS = 50;
const MAX_SUBJECT_CHARS = 200;
const MAX_TEXT_CHARS = 256 * 1024;

/**
 * True for an address that a mail header and an SMTP command can hold without
 * quotes. An address with a separator could name more recipients.
 */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && MAIL_ADDRESS.test(text);
}

const MAIL_ADDRESS = /^[^\s@\p{C}"(),:;<>[\\\]]{1,64}@[^\s@\p{C}"(),:;<>[\\\]]{1,189}$/u;

/** The reason to refuse a mail, to complete "The mail"; undefined if it can be sent. */
export function mailProblem({ to, subject, text, html = "" }: Mail): string | undefined {
  if (to.length === 0 || to.length > MAX_RECIPIENTS)
    return `needs 1 to ${MAX_RECIPIENTS} addresses.`;
  if (!to.every(isMailAddress)) return "has an address that is not an e-mail address.";
  if (/\p{Cc}|\u2028|\u2029/u.test(subject)) return "has a subject of more than one line.";
  if (subject.length > MAX_SUBJECT_CHARS)
    return `has a subject over ${MAX_SUBJECT_CHARS} characters.`;
  if (Math.max(text.length, html.length) > MAX_TEXT_CHARS) {
    return `has a text over ${MAX_TEXT_CHARS} characters.`;
  }
  return undefined;
}
