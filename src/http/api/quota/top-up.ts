import { z } from "zod";
import { invalid } from "#core/error.ts";
import type { QuotaOwner } from "#core/quota.ts";
import type { User } from "#core/user.ts";
import { ulid } from "#lib/ids.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { USD_CHANGE } from "../usd.ts";
import { QUOTA, showQuota } from "./show-quota.ts";

export const TOP_UP = z.strictObject({
  add_usd: USD_CHANGE,
  note: z.string().min(1).max(500),
  operation: optional(
    z
      .string()
      .min(1)
      .max(255)
      .describe(
        "Identifies the top-up: a repeated request with the same value has no further effect.",
      ),
  ),
});

export const TOPPED_UP = z.object({ operation: z.string(), ...QUOTA });

type TopUp = z.output<typeof TOP_UP>;

/** Relative, so that two at once both count. */
export async function topUp(
  { exchange, body }: { readonly exchange: Exchange; readonly body: TopUp },
  actor: User,
  findOwner: () => Promise<QuotaOwner>,
  deps: Pick<AccountDeps, "clock" | "ledger" | "quotas">,
): Promise<Response> {
  const { add_usd: amount } = body;
  const operation = readOperation(exchange, body) ?? ulid(deps.clock.now());
  const owner = await findOwner();
  const note = `${actor.name}: ${body.note}`;
  const isFirst = await deps.quotas.topUp(owner, { amount, operation, note });
  const message = isFirst ? "Done." : "This was done before, and was not done again.";
  return succeed(exchange.id, message, { operation, ...(await showQuota(owner, deps)) });
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** As a field, or as the header that says the same elsewhere. */
function readOperation({ request }: Exchange, body: TopUp): string | undefined {
  const header = request.headers.get("idempotency-key") ?? undefined;
  const given = body.operation ?? header;
  if (given === undefined) return undefined;
  if (header !== undefined && header !== given) {
    throw invalid(
      "operation",
      "'operation' and the Idempotency-Key differ. Use one value for both.",
    );
  }
  if (VISIBLE.test(given)) return given;
  throw invalid("operation", "'operation' must be 1 to 255 visible ASCII characters.");
}
