import { z } from "zod";
import { isMailAddress } from "#core/mail.ts";
import { NAME } from "../name-fields.ts";
import { isEmail, isUserName, passwordProblem, PASSWORD_CHARS } from "#core/user.ts";

const SECRET = { writeOnly: true } as const;

export const USERNAME = z
  .string()
  .min(1)
  .max(64)
  .transform((given, context) => {
    const name = given.toLowerCase();
    if (!isUserName(name)) {
      context.addIssue(
        "must consist of letters, digits, dots, dashes and underscores, and start with a letter or digit",
      );
    }
    return name;
  });

export const EMAIL = z
  .string()
  .min(3)
  .max(254)
  .transform((given, context) => {
    const email = given.toLowerCase();
    if (!isEmail(email)) context.addIssue("must be an email address");
    return email;
  });

/** Mail can be sent to it. */
export const MAIL_ADDRESS = EMAIL.refine(isMailAddress, {
  error: "must be an email address without quotes, commas or brackets",
});

/** The secret of a link. */
export const LINK_SECRET = z.string().min(1).max(128).meta(SECRET);

export const DISPLAY_NAME = NAME;

/** One that is tried may have any length that could be somebody's. */
export const TRIED_PASSWORD = z.string().min(1).max(PASSWORD_CHARS.max).meta(SECRET);

/** Of an authenticator, or a recovery code. */
export const CODE = z.string().min(1).max(32).meta(SECRET);

export const NEW_PASSWORD = z
  .string()
  .min(PASSWORD_CHARS.min)
  .max(PASSWORD_CHARS.max)
  .meta(SECRET)
  .superRefine((given, context) => {
    const problem = passwordProblem(given);
    if (problem === undefined) return;
    const message = `The password ${problem}`;
    context.addIssue({ code: "custom", message, params: { isSentence: true } });
  })
  .meta(SECRET);
