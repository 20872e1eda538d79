import type { Config } from "#config.ts";
import type { SeenAnswer } from "#http/deps.ts";
import type { Clock } from "#lib/clock.ts";
import type { Logger } from "#lib/log.ts";

export interface GatewayOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Shown every stream that was written here; see `HttpDeps`. */
  readonly onStream?: (style: string, text: string) => void;
  /** Shown every answer of the management API; see `HttpDeps`. */
  readonly onAnswer?: (answer: SeenAnswer) => void;
  /** A vendor refused a channel's credential when it was asked for its models. `owner`: what describes the channel. */
  readonly onCredentialRefused?: (channel: string, owner: string | undefined) => void;
  /** The disk failed: the process must end, and the next start recover. */
  readonly onFatal?: () => void;
}
