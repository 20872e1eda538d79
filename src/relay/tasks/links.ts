import type { Task } from "#core/task.ts";
import type { Variant } from "#core/kept-media.ts";
import type { MadeVideo, TaskLinks } from "#core/video.ts";
import { defined } from "#lib/values.ts";
import { findProvider } from "#providers/index.ts";

/** The gateway's URLs of one task's files. */
export interface TaskAddress extends Pick<TaskLinks, "filesUrl"> {
  linkTo(index: number, variant?: Variant): string;
}

/**
 * The result URLs for a client: the vendor's if they are public and the gateway keeps no copies,
 * else the gateway's.
 */
export function linksOf(task: Task, { filesUrl, linkTo }: TaskAddress, isKept: boolean): TaskLinks {
  const needsKey = needsOurKey(task);
  const videos = task.videos.map((each, index): MadeVideo => {
    if (!isKept && !needsKey && /^https?:\/\//i.test(each.url)) return each;
    const here = (url: string | undefined, variant?: Variant): string | undefined =>
      url === undefined ? undefined : linkTo(index, variant);
    // Further files of a video without a public link are not public, either.
    const { coverUrl, lastFrameUrl, watermarkedUrl, ...rest } = each;
    return {
      ...rest,
      url: linkTo(index),
      ...defined({
        coverUrl: here(coverUrl, "thumbnail"),
        lastFrameUrl: here(lastFrameUrl, "last_frame"),
        watermarkedUrl: here(watermarkedUrl, "watermarked"),
      }),
    };
  });
  return { videos, filesUrl };
}

function needsOurKey({ place }: Task): boolean {
  if (place === undefined) return false;
  const { videos = [] } = findProvider(place.provider) ?? {};
  const endpoint = videos.find(
    (each) => each.style.id === place.format && (each.serves?.(place.upstreamModel) ?? true),
  );
  return endpoint?.linksNeedKey === true || endpoint?.content !== undefined;
}
