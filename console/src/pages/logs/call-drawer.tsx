import { Link } from "wouter";
import type { ReactNode } from "react";
import { hooks } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { count, milliseconds, money } from "../../ui/format.ts";
import { Empty, Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { At } from "../../ui/time.tsx";
import type { CallInParts } from "./call.ts";
import { CallContent } from "./call-content.tsx";
import { CallLimits } from "./call-limits.tsx";
import { ExplainAgain } from "./explain-again.tsx";
import { Result } from "./columns.tsx";
import { LOG_TEXTS } from "./texts.ts";
import { Waterfall } from "./waterfall.tsx";

interface CallDrawerProps {
  readonly id: string;
  readonly isAuditor: boolean;
  readonly onClose: () => void;
}

/** One call: what was tried, what it cost and why, and what was lost on the way. */
export function CallDrawer({ id, isAuditor, onClose }: CallDrawerProps) {
  const t = useTexts(LOG_TEXTS);
  const path = isAuditor ? "/api/log/{id}" : "/api/log/self/{id}";
  const call = hooks.useQuery(
    "get",
    path as "/api/log/{id}",
    { params: { path: { id } } },
    { staleTime: Infinity },
  );
  return (
    <Dialog
      shape="drawer"
      title={
        <span className="flex items-center gap-1">
          {t.call.title} <span className="font-mono text-xs">{id}</span> <CopyButton text={id} />
        </span>
      }
      onClose={onClose}
    >
      {call.error !== null && <Missing error={call.error} text={t.call.notFound} />}
      {call.data !== undefined && <CallDetails call={call.data.data} />}
    </Dialog>
  );
}

function Missing({ error, text }: { readonly error: unknown; readonly text: string }) {
  const isAbsent = error instanceof ApiError && error.status === 404;
  return isAbsent ? <Empty title={text} /> : <Problem error={error} />;
}

function CallDetails({ call }: { readonly call: CallInParts }) {
  const t = useTexts(LOG_TEXTS);
  const isAdmin = isAtLeast(useUser().role, "admin");
  const replay = replayOf(call);
  // Members have no limits in the answer.
  const limits = call.limits as CallInParts["limits"] | undefined;
  const facts: readonly (readonly [label: string, value: ReactNode])[] = [
    [t.fields.time, <At key="time" at={call.ended_at} />],
    [
      t.fields.model,
      <Filtered key="model" name="model" value={call.model} title={t.call.sameModel} />,
    ],
    [t.fields.upstream, call.upstream_model],
    [
      t.fields.channel,
      call.channel && (
        <Filtered key="channel" name="channel" value={call.channel} title={t.call.sameChannel} />
      ),
    ],
    [t.fields.user, call.user_name ?? call.user_id],
    [t.fields.team, call.team_name ?? call.team_id],
    [
      t.fields.key,
      <Filtered key="key" name="token" value={String(call.token_id)} title={t.call.sameKey}>
        {call.token_name ?? call.token_id}
      </Filtered>,
    ],
    [t.fields.endpoint, call.endpoint],
    [t.fields.style, call.style],
    [
      t.fields.session,
      call.session_id && (
        <Filtered key="session" name="session" value={call.session_id} title={t.call.sameSession} />
      ),
    ],
    [t.fields.tags, call.tags.join(", ")],
    [t.fields.firstByte, milliseconds(call.first_byte_ms)],
    [t.fields.duration, milliseconds(call.duration_ms)],
  ];
  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-center gap-3">
        <Result call={call} t={t} />
        <span className="figures mr-auto text-base font-medium">{money(call.cost_usd)}</span>
        {replay !== undefined && (
          <Link
            href={replay}
            className="text-accent inline-flex min-h-6 items-center text-sm hover:underline"
          >
            {t.call.replay}
          </Link>
        )}
      </div>
      {call.refused_by !== null && (
        <p className="text-bad text-sm">{refusalText(call.refused_by, t)}</p>
      )}
      <dl className="grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
        {facts.map(([label, value]) => (
          <div key={label} className="flex min-w-0 gap-2">
            <dt className="text-muted w-28 shrink-0">{label}</dt>
            <dd className="min-w-0 truncate">{value || "–"}</dd>
          </div>
        ))}
      </dl>
      {hasAttempts(call) && (
        <Section title={t.call.attempts}>
          {call.attempts.length === 0 ? (
            <p className="text-muted text-sm">{t.call.noAttempts}</p>
          ) : (
            <Waterfall attempts={call.attempts} />
          )}
        </Section>
      )}
      <Cost call={call} />
      {limits !== undefined && limits !== null && <CallLimits call={call} limits={limits} />}
      {isAdmin && replay !== undefined && <ExplainAgain id={call.id} />}
      <CallContent id={call.id} isAdmin={isAdmin} />
      {call.not_carried.length > 0 && (
        <Section title={t.call.notCarried}>
          <ul className="list-inside list-disc font-mono text-xs leading-5">
            {call.not_carried.map((field) => (
              <li key={field}>{field}</li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

function refusalText(
  { of, by, amount }: NonNullable<CallInParts["refused_by"]>,
  t: Translated<typeof LOG_TEXTS.en>,
): string {
  if (by === "requests" || by === "tokens" || by === "concurrency") {
    return t.call.atRate(of, t.call.rateNames[by](count(amount)));
  }
  return t.call.atBudget(of, t.call.spans[by]);
}

/** Members do not see them; the charge of a task has none, although a channel did the work. */
function hasAttempts({ attempts, channel }: CallInParts): boolean {
  const seen = attempts as typeof attempts | undefined;
  return seen !== undefined && (seen.length > 0 || channel === null);
}

const STYLES: Readonly<Record<string, string>> = {
  chat: "chat",
  responses: "responses",
  messages: "messages",
  gemini: "native",
  native: "native",
};

/** The playground with the model and the style of a call of text; undefined for other calls. */
function replayOf({ model, style }: CallInParts): string | undefined {
  const chosen = STYLES[style];
  if (chosen === undefined) return undefined;
  return `/playground?${new URLSearchParams({ tab: "chat", style: chosen, model })}`;
}

function Filtered({
  name,
  value,
  title,
  children,
}: {
  readonly name: string;
  readonly value: string;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <Link
      href={`/logs?${new URLSearchParams({ [name]: value })}`}
      title={title}
      className="text-accent hover:underline"
    >
      {children ?? value}
    </Link>
  );
}

/** Usage parts × rate = cost. */
function Cost({ call }: { readonly call: CallInParts }) {
  const t = useTexts(LOG_TEXTS);
  const parts = call.cost_parts ?? [];
  const kinds: Readonly<Record<string, string>> = t.call.kinds;
  // A gateway that is newer than this page may have more kinds.
  const kindOf = (kind: string): string => kinds[kind] ?? kind;
  return (
    <Section title={t.call.usage}>
      {call.unpriced && <p className="text-warn text-sm">{t.call.unpriced}</p>}
      {call.usage.is_estimated && <p className="text-muted text-sm">{t.call.estimated}</p>}
      <div
        className="border-line overflow-x-auto rounded-md border"
        tabIndex={0}
        role="region"
        aria-label={t.call.usage}
      >
        <table className="w-full text-sm">
          <thead>
            <tr className="text-muted text-left text-xs">
              <th className="px-2 py-1 font-medium">{t.call.kind}</th>
              <th className="px-2 py-1 text-right font-medium">{t.call.amount}</th>
              <th className="px-2 py-1 text-right font-medium">{t.call.rate}</th>
              <th className="px-2 py-1 text-right font-medium">{t.call.cost}</th>
            </tr>
          </thead>
          <tbody className="figures">
            {parts.map((part) => (
              <tr key={`${part.kind} ${part.model}`} className="border-line border-t">
                <td className="px-2 py-1">
                  {kindOf(part.kind)}
                  {part.model !== undefined && ` (${part.model})`}
                </td>
                <td className="px-2 py-1 text-right">{count(part.count)}</td>
                <td className="text-muted px-2 py-1 text-right">
                  {part.usd_per_million === undefined
                    ? part.usd_each !== undefined && t.call.each(money(part.usd_each))
                    : t.call.perMillion(money(part.usd_per_million))}
                </td>
                <td className="px-2 py-1 text-right">{money(part.cost_usd)}</td>
              </tr>
            ))}
            <tr className="border-line border-t font-medium">
              <td className="px-2 py-1" colSpan={3}>
                {t.call.total}
              </td>
              <td className="px-2 py-1 text-right">{money(call.cost_usd)}</td>
            </tr>
          </tbody>
        </table>
      </div>
    </Section>
  );
}
