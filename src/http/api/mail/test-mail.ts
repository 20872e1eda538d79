import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { SettingDeps } from "#http/deps/settings.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { MAIL_ADDRESS } from "../user/user-fields.ts";

export const testMail = management({
  operationId: "testMail",
  tag: "Settings",
  method: "POST",
  path: "/api/mail/test",
  access: "admin",
  scope: "settings:write",
  summary: "Sends a test mail, and tells the reason if the mail server refuses it.",
  body: z.strictObject({ to: MAIL_ADDRESS }),

  async handle({ id }, { mailer }: Pick<SettingDeps, "mailer">, { body: { to } }) {
    if (mailer === undefined) {
      throw new GatewayError(
        "not_found",
        "No mail server is configured. Set mail.smtp_url and mail.from.",
      );
    }
    await mailer.send({
      to: [to],
      subject: "Test of the gateway's mail",
      text: "The LLM gateway can send mail to this address.\n",
    });
    return succeed(id, "The mail server took the mail.");
  },
});
