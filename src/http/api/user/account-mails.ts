import type { Mail } from "#core/mail.ts";
import { MAIL_LINK_MS, type MailLinkKind } from "#core/mail-link.ts";

export function registrationMail(address: string, link: string): Mail {
  return mailTo(address, "Confirm your address", [
    "Open this link to create your account at the LLM gateway:",
    link,
    "",
    validity("register"),
    "If you did not ask for an account, ignore this mail.",
  ]);
}

/** The owner of the address learns of the attempt; the person who tried learns nothing. */
export function knownAddressMail(address: string): Mail {
  return mailTo(address, "You already have an account", [
    "A registration at the LLM gateway named this address, which already has an account.",
    "Log in, or ask for a new password on the login page.",
    "If you did not register, ignore this mail.",
  ]);
}

export function newAddressMail(address: string, userName: string, link: string): Mail {
  return mailTo(address, "Confirm your new address", [
    `Open this link to use this address for the account "${userName}" at the LLM gateway:`,
    link,
    "",
    validity("email"),
    "If you did not ask for this, ignore this mail.",
  ]);
}

export function addressChangedMail(former: string, userName: string): Mail {
  return mailTo(former, "Your address was changed", [
    `The account "${userName}" at the LLM gateway no longer has this address.`,
    "If you did not ask for this, tell an admin of the gateway.",
  ]);
}

export function passwordLinkMail(address: string, userName: string, link: string): Mail {
  return mailTo(address, "Set a new password", [
    `Open this link to set a new password for the account "${userName}" at the LLM gateway:`,
    link,
    "",
    validity("password"),
    "If you did not ask for this, ignore this mail. Your password stays as it is.",
  ]);
}

export function passwordChangedMail(address: string, userName: string): Mail {
  return mailTo(address, "Your password was changed", [
    `The account "${userName}" at the LLM gateway has a new password. Its other logins ended.`,
    "If you did not do this, tell an admin of the gateway.",
  ]);
}

function mailTo(address: string, subject: string, lines: readonly string[]): Mail {
  return { to: [address], subject, text: `${lines.join("\n")}\n` };
}

function validity(kind: MailLinkKind): string {
  const hours = MAIL_LINK_MS[kind] / 3_600_000;
  return `The link works once, for ${hours === 1 ? "an hour" : `${hours} hours`}.`;
}
