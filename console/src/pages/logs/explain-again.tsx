import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { money } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { LOG_TEXTS } from "./texts.ts";

/** Tells how the gateway would treat a past call now, without a call. */
export function ExplainAgain({ id }: { readonly id: string }) {
  const t = useTexts(LOG_TEXTS);
  const explain = hooks.useMutation("post", "/api/log/explain/{id}");
  const explained = explain.data?.data;
  return (
    <Section
      title={t.call.againTitle}
      actions={
        <Button
          busy={explain.isPending}
          onClick={() => explain.mutate({ params: { path: { id } } })}
        >
          {t.call.again}
        </Button>
      }
    >
      {explain.error !== null && <Problem error={explain.error} />}
      {explained !== undefined && (
        <div className="flex flex-col gap-2 text-sm" aria-live="polite">
          <p className="text-muted text-xs">
            {explained.request === "logged" ? t.call.fromLog : t.call.fromPlaceholder}
          </p>
          {explained.explanation.refused === null ? (
            <p>
              {t.call.accepted}{" "}
              {explained.explanation.estimate !== null &&
                t.call.estimate(money(explained.explanation.estimate.usd))}
            </p>
          ) : (
            <p className="text-bad break-words">
              {t.call.refused(
                `${explained.explanation.refused.status} ${explained.explanation.refused.code}`,
              )}{" "}
              {explained.explanation.refused.message}
            </p>
          )}
          <ul className="flex flex-col gap-1">
            {explained.explanation.channels.map(({ name, model, passed_over, refused, lost }) => (
              <li key={name} className="flex flex-wrap items-center gap-2">
                <span className="font-medium">{name}</span>
                <span className="text-muted font-mono text-xs">{model}</span>
                <Badge tone={passed_over === null && refused === null ? "good" : "warn"}>
                  {passed_over ?? refused?.message ?? t.call.usable}
                </Badge>
                {lost !== undefined && lost.length > 0 && (
                  <span className="text-muted text-xs">
                    {t.call.notCarried}: {lost.join(", ")}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}
