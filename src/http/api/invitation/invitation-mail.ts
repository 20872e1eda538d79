import type { NamedInvitation } from "#core/invitation.ts";
import type { Mail } from "#core/mail.ts";

/** Names of the gateway's own objects only: a text of the inviter could deceive the reader. */
export function invitationMail(
  { inviter, team, expiresAt }: NamedInvitation,
  address: string,
  link: string,
): Mail {
  const where = team === undefined ? "" : ` as a member of the team "${team}"`;
  return {
    to: [address],
    subject: "Your invitation to the LLM gateway",
    text: [
      `${inviter} invites you to the LLM gateway${where}.`,
      "",
      "Open this link to create your account:",
      link,
      "",
      `The link ends on ${new Date(expiresAt).toISOString().slice(0, 10)}. It is for you only.`,
      "",
    ].join("\n"),
  };
}
