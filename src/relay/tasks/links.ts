import type { Task } from "#core/task.ts";
import type { MadeVideo, TaskLinks } from "#core/video.ts";
import { findProvider } from "#providers/index.ts";

/**
 * Where a task's results are for its caller: at the vendor's, where its links
 * are open to anybody, else here.
 */
export function linksOf(task: Task, contentUrl: string): TaskLinks {
  const needsKey = needsOurKey(task);
  const videos = task.videos.map((each, index): MadeVideo => {
    if (!needsKey && /^https?:\/\//i.test(each.url)) return each;
    // What stands beside a video that is not open to anybody is not, either.
    const { coverUrl: _, lastFrameUrl: __, watermarkedUrl: ___, ...rest } = each;
    return { ...rest, url: index === 0 ? contentUrl : `${contentUrl}?index=${index}` };
  });
  return { videos, contentUrl };
}

function needsOurKey({ place }: Task): boolean {
  if (place === undefined) return false;
  const { videos = [] } = findProvider(place.provider) ?? {};
  const endpoint = videos.find(
    (each) => each.style.id === place.format && (each.serves?.(place.upstreamModel) ?? true),
  );
  return endpoint?.linksNeedKey === true || endpoint?.content !== undefined;
}
