import { Link } from "wouter";
import { useTexts } from "../../app/language.ts";
import { budgetHref } from "../../app/budget-href.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { count, money } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import type { CallInParts } from "./call.ts";
import { LOG_TEXTS } from "./texts.ts";

/** The limits that bind the key and the model of a call, and where its budgets are changed. */
export function CallLimits({
  call,
  limits,
}: {
  readonly call: CallInParts;
  readonly limits: NonNullable<CallInParts["limits"]>;
}) {
  const t = useTexts(LOG_TEXTS);
  const { id, role } = useUser();
  const hrefOf = (owner: "key" | "user" | "team"): string | undefined => {
    const isOwn = call.user_id === id;
    if (owner === "key" && isOwn) return budgetHref("key", call.token_id);
    if (!isAtLeast(role, "admin")) return undefined;
    if (owner === "key") return budgetHref("key", call.token_id, call.user_id);
    const of = owner === "user" ? call.user_id : call.team_id;
    return of === null ? undefined : budgetHref(owner, of);
  };
  const { rates, budgets } = limits;
  const bound = rates.filter(
    ({ rpm, tpm, concurrency }) => rpm !== null || tpm !== null || concurrency !== null,
  );
  return (
    <Section title={t.call.limits}>
      <p className="text-muted text-xs">
        {bound.length + budgets.length === 0 ? t.call.noLimits : t.call.limitsHint}
      </p>
      <dl className="grid grid-cols-[10rem_1fr] gap-x-2 gap-y-1 text-sm">
        {bound.map(({ of, rpm, tpm, concurrency }) => (
          <div key={of} className="contents">
            <dt className="text-muted truncate font-mono text-xs leading-5">{of}</dt>
            <dd>{t.call.rates(count(rpm), count(tpm), count(concurrency))}</dd>
          </div>
        ))}
        {budgets.map(({ owner, period, amount_usd, used_usd, left_usd, resets_at }) => (
          <div key={`${owner} ${period}`} className="contents">
            <dt className="text-muted">
              {t.call.owners[owner]}, {t.call.spans[period]}
            </dt>
            <dd>
              {t.call.budget(money(used_usd), money(amount_usd), money(left_usd))}{" "}
              {hrefOf(owner) !== undefined && (
                <Link href={hrefOf(owner) ?? ""} className="text-accent hover:underline">
                  {t.call.raise}
                </Link>
              )}
              {resets_at !== null && (
                <span className="text-muted">
                  {" · "}
                  {t.call.resets} <Ago at={resets_at} />
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
