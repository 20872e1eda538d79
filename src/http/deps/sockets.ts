import type { KeyStore } from "#core/key.ts";
import type { ChannelRegistry } from "#relay/routing/channel-registry.ts";
import type { OpenSockets } from "../open-sockets.ts";
import type { TextDeps } from "./text.ts";

/** Dependencies of responses over a WebSocket. */
export interface SocketDeps extends Omit<TextDeps, "keptAnswers"> {
  readonly keys: KeyStore;
  readonly sockets: OpenSockets;
  readonly channelRegistry: Pick<ChannelRegistry, "isSimulated">;
}
