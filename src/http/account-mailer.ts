import type { Mail } from "#core/mail.ts";

/** Pages that links of mails and invitations open. */
type LinkedPage = "invitation" | "register" | "confirm-email" | "reset-password";

/** Sends mail about accounts; exists if a mail server and a public URL are configured. */
export interface AccountMailer {
  /** The address of a page with a secret. */
  linkTo(page: LinkedPage, secret: string): string;
  send(mail: Mail): Promise<void>;
  /**
   * Runs after the answer, so that its duration tells nothing. Failures go to
   * the log; the gateway waits for it when it closes.
   */
  later(work: () => Promise<void>): void;
}

/** The secret is in the fragment, which browsers send to no server. */
export function accountLink(publicUrl: string, page: LinkedPage, secret: string): string {
  return `${publicUrl}/account/${page}#${secret}`;
}
