/** A mailed link completes a registration, confirms a new address, or sets a new password. */
export type MailLinkKind = "register" | "email" | "password";

export interface MailLink {
  /** The user of the changed account; absent for a registration. */
  readonly userId?: number;
  /** The address that got the link, in lower case. */
  readonly email: string;
}

/** Links that mails contain. Each works once, until it expires or a newer one replaces it. */
export interface MailLinks {
  /** The secret is in this result and stored nowhere else. Throws `overloaded` at the limit. */
  issue(kind: MailLinkKind, link: MailLink): Promise<string>;
  find(kind: MailLinkKind, secret: string): Promise<MailLink | undefined>;
  /** Of several simultaneous uses, only one gets the link. */
  spend(kind: MailLinkKind, secret: string): Promise<MailLink | undefined>;
}

const HOUR_MS = 3_600_000;

export const MAIL_LINK_MS: Readonly<Record<MailLinkKind, number>> = {
  register: 24 * HOUR_MS,
  email: 24 * HOUR_MS,
  password: HOUR_MS,
};
