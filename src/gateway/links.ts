import type { LinkFollower, MediaFetcher } from "#core/media.ts";
import { openCallerLinks } from "#egress/caller-links.ts";
import { openLinkedFiles, type LinkedFiles } from "#egress/linked-files.ts";
import { openLinkedMedia } from "#egress/linked-media.ts";
import type { Infrastructure } from "./infrastructure.ts";

export interface Links {
  readonly links: LinkFollower;
  /** Passed on, without being held. */
  readonly linkedFiles: LinkedFiles;
  /** Held in memory, to be sent along with a question. */
  readonly linkedMedia: MediaFetcher;
}

/** The ways to addresses that callers and vendors name, all within the same bounds. */
export function openLinks({ settings }: Pick<Infrastructure, "settings">): Links {
  const { limits } = settings;
  const bounds = () => ({ allow: settings.linkNetworks, ports: settings.linkPorts });
  return {
    links: openCallerLinks(bounds),
    linkedFiles: openLinkedFiles(() => ({
      ...bounds(),
      maxBytes: limits.mediaBytes,
      firstByteMs: limits.firstByteMs,
      idleMs: limits.idleMs,
    })),
    linkedMedia: openLinkedMedia(() => ({
      ...bounds(),
      maxBytes: limits.linkBytes,
      timeoutMs: limits.linkMs,
    })),
  };
}
