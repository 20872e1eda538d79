import { pino, type Logger } from "pino";

export type { Logger } from "pino";

/**
 * One JSON object a line, on standard error: standard output belongs to
 * commands. What callers and upstreams send is never logged.
 */
export function openLog(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
