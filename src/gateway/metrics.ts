import { EventLoopDelay } from "#lib/event-loop-delay.ts";
import { labelsOf, type PrometheusText } from "#lib/prometheus-text.ts";
import type { RateLimiter } from "#core/limits.ts";
import { SharedLimiter } from "#storage/counters/shared.ts";
import type { WriteStats } from "#storage/accounts/group-commit.ts";
import type { ContentLog } from "#relay/content-log/content-log.ts";
import type { Contents } from "./content-log.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { JournalExport } from "./journal-export.ts";
import type { Relay } from "./relay.ts";
import { VERSION } from "#version.ts";

/** Adds the metrics of the process, the database and Redis to those of calls. */
export function addGatewayMetrics(
  {
    metrics,
    storage,
    settings,
    clock,
    own,
    limiter,
    contentLog,
    exportLags,
  }: Pick<Relay, "metrics"> &
    Pick<Contents, "contentLog"> &
    Pick<JournalExport, "exportLags"> &
    Pick<Infrastructure, "settings" | "clock" | "own"> &
    Stores<"writes" | "journal"> & { readonly limiter: RateLimiter },
  opened: AsyncDisposableStack,
): void {
  const eventLoop = opened.use(new EventLoopDelay(clock));
  const build = labelsOf({
    version: VERSION,
    runtime: `bun ${process.versions.bun ?? ""}`,
    database: settings.databaseUrl === undefined ? "sqlite" : "postgresql",
  });
  metrics.add((text) => {
    text.metric("gauge", "sluice_build_info", "Version of the gateway; the value is 1.");
    text.sample(1, build);
    writeDatabase(text, storage);
    writeContentLog(text, contentLog);
    writeExports(text, exportLags);
    if (limiter instanceof SharedLimiter) {
      text.metric("gauge", "sluice_redis_up", "1 while Valkey or Redis answers.");
      text.sample(limiter.isShared ? 1 : 0);
    }
    const { requests, webSockets } = own.connections?.() ?? { requests: 0, webSockets: 0 };
    text
      .metric("gauge", "sluice_open_connections", "Requests and WebSockets that are open.")
      .sample(requests, labelsOf({ kind: "request" }))
      .sample(webSockets, labelsOf({ kind: "websocket" }))
      .metric("histogram", "sluice_event_loop_delay_seconds", "How late timers run.")
      .histogram(eventLoop.delaysMs, 0.001);
  });
}

function writeContentLog(text: PrometheusText, { counts }: Pick<ContentLog, "counts">): void {
  const { stored, dropped, failed, unredacted, storedBytes } = counts;
  text.metric(
    "counter",
    "sluice_content_log_total",
    "Contents of calls by result; dropped if too many waited, unredacted if redaction took too long.",
  );
  for (const [result, count] of Object.entries({ stored, dropped, failed, unredacted })) {
    text.sample(count, labelsOf({ result }));
  }
  text
    .metric("counter", "sluice_content_log_bytes_total", "Bytes stored by the content log.")
    .sample(storedBytes);
}

function writeExports(text: PrometheusText, lags: JournalExport["exportLags"]): void {
  if (lags.size === 0) return;
  text.metric(
    "gauge",
    "sluice_journal_export_lag_calls",
    "Calls that an export of the call log has not copied yet.",
  );
  for (const [target, { calls }] of lags) text.sample(calls, labelsOf({ target }));
  text.metric(
    "gauge",
    "sluice_journal_export_lag_seconds",
    "Time since the end of the first call that an export has not copied yet.",
  );
  for (const [target, { ms }] of lags) text.sample(ms / 1_000, labelsOf({ target }));
}

function writeDatabase(
  text: PrometheusText,
  { writes, journal }: { readonly writes: WriteStats; readonly journal: { dropped: number } },
): void {
  text
    .metric("gauge", "sluice_database_up", "0 after a failed write, until the next one succeeds.")
    .sample(writes.isWritable ? 1 : 0)
    .metric("gauge", "sluice_ledger_queue", "Writes that wait for the database.")
    .sample(writes.queued)
    .metric("histogram", "sluice_ledger_commit_seconds", "Duration of the ledger's transactions.")
    .histogram(writes.commitsMs, 0.001)
    .metric("counter", "sluice_journal_dropped_total", "Records of refused calls that were lost.")
    .sample(journal.dropped);
}
