import type { InboundVideoFormat } from "#core/video.ts";

const ALL: readonly InboundVideoFormat[] = [];

/** What callers speak, by its id. */
export const VIDEO_FORMATS: ReadonlyMap<string, InboundVideoFormat> = new Map(
  ALL.map((each) => [each.id, each]),
);
