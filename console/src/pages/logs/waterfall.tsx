import { useTexts, type Translated } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { milliseconds } from "../../ui/format.ts";
import type { Attempt } from "./call.ts";
import { LOG_TEXTS } from "./texts.ts";

/** The attempts of a call on one time axis. */
export function Waterfall({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const t = useTexts(LOG_TEXTS);
  const end = Math.max(1, ...attempts.map(({ end_ms }) => end_ms));
  const at = (ms: number): string => `${((ms / end) * 100).toFixed(2)}%`;
  return (
    <ol className="flex flex-col gap-3">
      {attempts.map((attempt, index) => {
        const firstByte = attempt.first_byte_ms ?? attempt.end_ms;
        const connect = attempt.connect_ms ?? 0;
        const connected = attempt.start_ms + connect;
        return (
          <li key={index} className="text-sm">
            <div className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{attempt.channel}</span>
              <span className="text-muted text-xs" title={t.call.credential}>
                {attempt.credential}
              </span>
              {attempt.fault === null ? (
                <Badge tone="good">{t.call.answered}</Badge>
              ) : (
                <Badge tone="bad">
                  {[attempt.status, attempt.fault].filter(Boolean).join(" ")}
                </Badge>
              )}
              <span className="figures text-muted ml-auto text-xs">
                {milliseconds(attempt.duration_ms)}
              </span>
            </div>
            <div className="bg-hover relative mt-1 h-2 overflow-hidden rounded-sm">
              {connect > 0 && (
                <div
                  title={`${t.call.connected}: ${milliseconds(connect)}`}
                  className="bg-warn absolute h-full"
                  style={{ left: at(attempt.start_ms), width: at(connect) }}
                />
              )}
              <div
                title={`${t.call.waited}: ${milliseconds(firstByte - connected)}`}
                className={
                  attempt.fault === null
                    ? "bg-accent absolute h-full opacity-40"
                    : "bg-bad absolute h-full opacity-60"
                }
                style={{
                  left: at(connected),
                  width: at(Math.max(firstByte - connected, end / 200)),
                }}
              />
              <div
                title={`${t.call.read}: ${milliseconds(attempt.end_ms - firstByte)}`}
                className="bg-accent absolute h-full"
                style={{ left: at(firstByte), width: at(attempt.end_ms - firstByte) }}
              />
            </div>
            <p className="figures text-muted mt-1 text-xs">{timesOf(attempt, t)}</p>
            {attempt.reason !== null && (
              <p className="text-muted mt-1 text-xs break-words" title={t.call.reason}>
                {[attempt.code, attempt.type, attempt.reason].filter(Boolean).join(" · ")}
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** The parts of an attempt in words; colours alone tell them to few. */
function timesOf(attempt: Attempt, t: Translated<typeof LOG_TEXTS.en>): string {
  const { connect_ms, wait_ms, first_byte_ms, end_ms } = attempt;
  const parts = [
    connect_ms !== null &&
      (connect_ms === 0 ? t.call.reused : `${t.call.connected} ${milliseconds(connect_ms)}`),
    wait_ms !== null && `${t.call.waited} ${milliseconds(wait_ms)}`,
    first_byte_ms !== null && `${t.call.read} ${milliseconds(end_ms - first_byte_ms)}`,
  ];
  return parts.filter(Boolean).join(" · ");
}
