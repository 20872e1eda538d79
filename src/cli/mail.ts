import type { Noun } from "./command.ts";

export const mail: Noun = {
  name: "mail",
  verbs: [
    {
      usage: "test <address>",
      doc: "sends a test mail, and prints the reason if the mail server refuses it",
      ask: (words) => ({
        method: "POST",
        path: "/api/mail/test",
        body: { to: words.one("an address") },
      }),
      show: () => ["sent"],
    },
  ],
};
