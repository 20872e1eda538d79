import type { Mailer } from "#core/mail.ts";
import type { Infrastructure } from "./infrastructure.ts";

/** Sends mail of the gateway, if a mail server is configured. */
interface MailModule {
  readonly mailer: Mailer | undefined;
}

export async function openMail({
  config: { settings },
}: Pick<Infrastructure, "config">): Promise<MailModule> {
  const { mailUrl, mailFrom } = settings;
  if (mailUrl === undefined || mailFrom === undefined) return { mailer: undefined };
  // Without the settings its package is never loaded.
  const { openMailer } = await import("#egress/mail.ts");
  return { mailer: openMailer({ url: mailUrl.open(), from: mailFrom }) };
}
