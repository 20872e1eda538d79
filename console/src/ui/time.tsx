import { clockTime, exactTime, relativeTime } from "./format.ts";

/** A relative time with the exact one on hover. `at`: Unix seconds. */
export function Ago({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={exactTime(at)}>
      {relativeTime(at)}
    </time>
  );
}

export function At({ at }: { readonly at: number }) {
  return (
    <time
      dateTime={new Date(at * 1_000).toISOString()}
      title={`${exactTime(at)} (${relativeTime(at)})`}
    >
      {clockTime(at)}
    </time>
  );
}
