import type { FaultCode } from "./error.ts";

/** A failed attempt, for the channel's operator. */
export interface ChannelFailure {
  /** Unix ms: the first of a series. */
  readonly since: number;
  readonly code: FaultCode;
  readonly credential: string;
  /** HTTP status of the upstream, if it answered. */
  readonly status: number | undefined;
  /** The vendor's words without quotes from requests, or the gateway's. */
  readonly reason: string;
}

/** The reasons for which a channel may be ill, as far as one gateway knows them. */
export interface ChannelTroubles {
  /** Credentials that the vendor refused and has not accepted since. */
  readonly refusals: readonly ChannelFailure[];
  readonly lastFailure: ChannelFailure | undefined;
  /** Unix ms: no credential is usable for some model until then. */
  readonly cooldownUntil: number | undefined;
  /** Unix ms: a circuit is open until then. */
  readonly openUntil: number | undefined;
}

/** The reasons that several gateways know together. */
export function joinTroubles(all: readonly ChannelTroubles[]): ChannelTroubles {
  const failures = all.flatMap(({ lastFailure }) => lastFailure ?? []);
  return {
    refusals: all
      .flatMap(({ refusals }) => refusals)
      .toSorted((one, other) => one.since - other.since),
    lastFailure: failures.toSorted((one, other) => other.since - one.since)[0],
    cooldownUntil: latest(all.map(({ cooldownUntil }) => cooldownUntil)),
    openUntil: latest(all.map(({ openUntil }) => openUntil)),
  };
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
