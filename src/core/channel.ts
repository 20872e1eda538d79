import type { DisableRules } from "./channel-state.ts";
import type { RateLimits } from "./limits.ts";
import type { Thousandths } from "./money.ts";
import type { Overrides } from "./overrides.ts";

/** An upstream account: a provider, its address, its credentials and its models. */
export interface Channel {
  readonly name: string;
  /** Id of a provider. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly credentials: readonly Credential[];
  readonly models: ModelList;
  /** Id of the wire format to use if the provider has several. */
  readonly style?: string;
  /** Provider-specific options, such as a region or a project. */
  readonly options?: ChannelOptions;
  /** Lower values first. */
  readonly priority: number;
  /** Share of calls among channels of equal priority. */
  readonly weight: number;
  readonly maxConcurrent: number;
  /**
   * The limits of the vendor account. The router skips a channel at its limit.
   * `maxConcurrent` limits concurrent calls.
   */
  readonly limits?: Omit<RateLimits, "concurrency">;
  /** The built-in simulator answers instead of a model. */
  readonly isSimulated: boolean;
  /** Networks that its connections may reach; any if absent. */
  readonly reach?: Reach;
  /** Its models are also served under names with this prefix and a slash. */
  readonly modelPrefix?: string;
  /** The owner's changes to its requests. */
  readonly overrides?: Overrides;
  /** Precedes the system prompt of every text call. */
  readonly systemPrompt?: string;
  /** Shorter than the limits of the gateway; they never extend them. */
  readonly timeout?: ChannelTimeout;
  /** Its connections go through this proxy, instead of the gateway's. */
  readonly proxy?: ChannelProxy;
  readonly autoDisable?: DisableRules;
  /** A balance at the vendor below this amount counts as low; in the vendor's currency. */
  readonly lowBalance?: number;
  /** Factor on the prices of its models, in thousandths. */
  readonly priceFactor?: Thousandths;
  /** For people only. */
  readonly notes?: string;
  /** Labels of the owner, to find channels. */
  readonly tags?: readonly string[];
}

export interface ChannelTimeout {
  /** Until the status line of a stream. */
  readonly firstByteMs?: number;
  /** Until the end of a response. */
  readonly totalMs?: number;
}

/** An HTTP or SOCKS5 proxy. */
export interface ChannelProxy {
  /** `http://host:port` or `socks5://host:port`, without a login. */
  readonly url: string;
  /** `user:password`, decoded. */
  readonly login?: Credential;
}

/**
 * `public`: internet addresses. `private`: also the operator's own networks and
 * this machine. Neither includes addresses of the host itself, such as cloud
 * metadata.
 */
export type Reach = "public" | "private";

export type ChannelOptions = Readonly<Record<string, string>>;

/** Models by the name that clients use; `discover` asks the upstream for its list. */
export type ModelList =
  | { readonly kind: "listed"; readonly upstreamNames: ReadonlyMap<string, string> }
  | { readonly kind: "discover" };

/**
 * An upstream credential. The secret is a closure that only `egress/` calls,
 * and storage to encrypt it. Logs, errors and dumps therefore cannot show it by
 * accident.
 */
export interface Credential {
  /** A stable public label: the last characters of the secret, to tell credentials apart. */
  readonly label: string;
  readonly open: () => string;
}

export function credential(secret: string): Credential {
  return { label: secret.length > 12 ? `...${secret.slice(-4)}` : "...", open: () => secret };
}
