import type { RateLimits } from "./limits.ts";

/** An upstream account: a provider, where it is, what it is paid with and what it serves. */
export interface Channel {
  readonly name: string;
  /** Id of a provider. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly credentials: readonly Credential[];
  readonly models: ModelList;
  /** Id of the wire format to use where the provider has several. */
  readonly style?: string;
  /** What else the provider needs to know, in its own words: a region, a project. */
  readonly options?: ChannelOptions;
  /** Lower first. */
  readonly priority: number;
  /** Share of the calls among channels of one priority. */
  readonly weight: number;
  readonly maxConcurrent: number;
  /** What the account's vendor allows; at it the channel is passed over. Calls at once are `maxConcurrent`. */
  readonly limits?: Omit<RateLimits, "concurrency">;
  /** Answers come from the built-in simulator, not from a model. */
  readonly isSimulated: boolean;
  /** Where its connections may lead; anywhere where absent. */
  readonly reach?: Reach;
}

/**
 * `public`: addresses of the internet. `private`: those of the operator's own
 * networks and this machine, too; what is only for the machine's host, such as
 * a cloud's metadata, is in neither.
 */
export type Reach = "public" | "private";

export type ChannelOptions = Readonly<Record<string, string>>;

/** Models by the name callers use; `discover` asks the upstream which it has. */
export type ModelList =
  | { readonly kind: "listed"; readonly upstreamNames: ReadonlyMap<string, string> }
  | { readonly kind: "discover" };

/**
 * What we present upstream. The secret is a closure that only `egress/` calls,
 * and the storage to seal it, so that no log, error or dump can show it by
 * accident.
 */
export interface Credential {
  /** Stable and harmless: the last characters, for people to tell them apart. */
  readonly label: string;
  readonly open: () => string;
}

export function credential(secret: string): Credential {
  return { label: secret.length > 12 ? `...${secret.slice(-4)}` : "...", open: () => secret };
}
