import type { AnswerReader, LinkFollower, MediaFetcher } from "#core/media.ts";
import { openCallerLinks } from "#egress/caller-links.ts";
import { openLinkedFiles, type LinkedFiles } from "#egress/linked-files.ts";
import { openLinkedMedia } from "#egress/linked-media.ts";
import type { Infrastructure } from "./infrastructure.ts";

export interface Links {
  readonly links: LinkFollower & AnswerReader;
  /** Files that are streamed without being held in memory. */
  readonly linkedFiles: LinkedFiles;
  /** Files that are loaded into memory, to be sent with a request. */
  readonly linkedMedia: MediaFetcher;
}

/** Access to URLs from clients and vendors, all under the same rules. */
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
