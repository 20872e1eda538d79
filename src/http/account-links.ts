import type { Mailer } from "#core/mail.ts";

/** Pages that links of mails and invitations open. */
type LinkedPage = "invitation" | "register" | "confirm-email" | "reset-password";

/** The secret is in the fragment, which browsers send to no server. */
export function linkTo(publicUrl: string, page: LinkedPage, secret: string): string {
  return `${publicUrl}/account/${page}#${secret}`;
}

interface MailDeps {
  readonly mailer: Mailer | undefined;
  readonly publicUrl: string | undefined;
}

interface LinkMailer {
  readonly mailer: Mailer;
  readonly publicUrl: string;
}

/** Undefined if the gateway cannot send links, because it has no mail server or no public URL. */
export function linkMailer({ mailer, publicUrl }: MailDeps): LinkMailer | undefined {
  return mailer === undefined || publicUrl === undefined ? undefined : { mailer, publicUrl };
}
