import type { Kysely } from "kysely";
import { GatewayError } from "#core/error.ts";
import { createSecret, isWellFormed } from "#core/key.ts";
import { MAIL_LINK_MS, type MailLink, type MailLinkKind, type MailLinks } from "#core/mail-link.ts";
import type { Clock } from "#lib/clock.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { digestOf } from "../secrets/secrets.ts";
import type { Tables } from "../tables.ts";

interface MailLinkDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly pepper: Uint8Array;
}

const PREFIX = "slc-mail_";
/** Links that are valid at the same time. */
const MAX_LINKS = 10_000;

export function createMailLinks({ db, clock, pepper }: MailLinkDeps): MailLinks {
  return {
    async issue(kind, { userId, email }) {
      const secret = createSecret(PREFIX);
      const now = clock.now();
      const row = {
        digest: digest(kind, secret),
        subject: `${kind}:${userId ?? email}`,
        user_id: userId ?? null,
        email,
        expires_at: now + MAIL_LINK_MS[kind],
      };
      await inTransaction(db, async (transaction) => {
        await transaction.deleteFrom("mail_links").where("expires_at", "<=", now).execute();
        await transaction
          .insertInto("mail_links")
          .values(row)
          .onConflict((conflict) => conflict.column("subject").doUpdateSet(row))
          .execute();
        const { count } = await transaction
          .selectFrom("mail_links")
          .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
          .executeTakeFirstOrThrow();
        if (Number(count) > MAX_LINKS) throw tooMany();
      });
      return secret;
    },

    async find(kind, secret) {
      if (!isWellFormed(secret, PREFIX)) return undefined;
      const row = await db
        .selectFrom("mail_links")
        .select(["user_id", "email"])
        .where("digest", "=", digest(kind, secret))
        .where("expires_at", ">", clock.now())
        .executeTakeFirst();
      return row && toMailLink(row);
    },

    async spend(kind, secret) {
      if (!isWellFormed(secret, PREFIX)) return undefined;
      const row = await db
        .deleteFrom("mail_links")
        .where("digest", "=", digest(kind, secret))
        .where("expires_at", ">", clock.now())
        .returning(["user_id", "email"])
        .executeTakeFirst();
      return row && toMailLink(row);
    },
  };

  /** The digest depends on the kind, so a link serves one purpose only. */
  function digest(kind: MailLinkKind, secret: string): string {
    return digestOf(`${kind} link:${secret}`, pepper);
  }
}

function toMailLink(row: { readonly user_id: number | null; readonly email: string }): MailLink {
  return { email: row.email, ...(row.user_id === null ? {} : { userId: row.user_id }) };
}

function tooMany(): GatewayError {
  return new GatewayError("overloaded", "Too many links are valid. Try again later.", {
    retryAfterMs: 600_000,
  });
}
