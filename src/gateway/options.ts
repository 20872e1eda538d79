import type { Config } from "#config.ts";
import type { SeenAnswer } from "#http/show-answer.ts";
import type { Clock } from "#lib/clock.ts";
import type { Logger } from "#lib/log.ts";
import type { WorkerLink } from "#workers/worker-link.ts";
import type { PasswordCost } from "#storage/access/passwords.ts";

export interface GatewayOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Receives every stream that the gateway writes completely. */
  readonly onStream?: (style: string, text: string) => void;
  /** Receives every answer of the management API. */
  readonly onAnswer?: (answer: SeenAnswer) => void;
  /** Lower in tests, which hash hundreds of passwords. */
  readonly passwordCost?: PasswordCost;
  /**
   * A vendor refused a channel's credential in a model list request. `owner`:
   * the source of the channel's configuration.
   */
  readonly onCredentialRefused?: (channel: string, owner: string | undefined) => void;
  /** Other processes of the same program serve the port as well. */
  readonly workerLink?: Pick<WorkerLink, "sumMetrics"> | undefined;
  /** The disk failed: the process must end, and the next start recovers. */
  readonly onFatal?: () => void;
}
