import { GatewayError } from "#core/error.ts";
import type { Mailer } from "#core/mail.ts";
import { accountLink, type AccountMailer } from "#http/account-mailer.ts";
import type { Infrastructure } from "./infrastructure.ts";

export interface MailModule {
  /** Undefined if no mail server is configured. */
  readonly mailer: Mailer | undefined;
  /** Undefined if there is no mail server or no public URL. */
  readonly accountMailer: AccountMailer | undefined;
}

const MAX_WAITING = 100;

export async function openMail(
  {
    config: { settings },
    publicUrl,
    problems,
  }: Pick<Infrastructure, "config" | "publicUrl" | "problems">,
  opened: AsyncDisposableStack,
): Promise<MailModule> {
  const { mailUrl, mailFrom } = settings;
  if (mailUrl === undefined || mailFrom === undefined) {
    return { mailer: undefined, accountMailer: undefined };
  }
  // Without the settings its package is never loaded.
  const { openMailer } = await import("#egress/mail.ts");
  const mailer = openMailer({ url: mailUrl.open(), from: mailFrom });
  if (publicUrl === undefined) return { mailer, accountMailer: undefined };

  const running = new Set<Promise<void>>();
  opened.defer(async () => void (await Promise.all(running)));
  const onError = (cause: unknown): void =>
    problems.error("account mail", cause, "mail about an account was not sent");
  const accountMailer: AccountMailer = {
    linkTo: (page, secret) => accountLink(publicUrl, page, secret),
    send: (mail) => mailer.send(mail),
    later(work) {
      if (running.size >= MAX_WAITING) {
        onError(new GatewayError("overloaded", "Too many mails at once."));
        return;
      }
      const job = work().catch(onError);
      running.add(job);
      void job.finally(() => running.delete(job));
    },
  };
  return { mailer, accountMailer };
}
