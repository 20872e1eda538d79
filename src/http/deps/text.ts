import type { ResponseStore } from "#core/responses.ts";
import type { Seal } from "#lib/seal.ts";
import type { Channels } from "#relay/routing/channels.ts";
import type { RelayDeps } from "#relay/relay.ts";
import type { IdempotencyDeps } from "../idempotency.ts";
import type { HttpLimits } from "../limits.ts";

/** Dependencies of the endpoints of text. */
export interface TextDeps extends IdempotencyDeps {
  readonly relay: RelayDeps;
  readonly channels: Channels;
  readonly responses: ResponseStore;
  /** Encrypts the summaries that clients hold in place of conversations. */
  readonly summarySeal: Seal;
  readonly limits: HttpLimits;
  /**
   * Gets every stream that was written completely. Tests and development check it against the
   * style's grammar.
   */
  readonly onStream?: (style: string, text: string) => void;
}

/** Dependencies of a call in any text style. */
export type GenerationDeps = IdempotencyDeps & Pick<TextDeps, "relay" | "limits" | "onStream">;

/** Dependencies of a response that continues a stored conversation. */
export type ConversationDeps = GenerationDeps &
  Pick<TextDeps, "channels" | "responses" | "summarySeal">;
