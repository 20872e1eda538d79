import type { Reference, VideoContent } from "./content.ts";
import { invalidField } from "./error.ts";
import type { VideoModel } from "./models.ts";

/** A video begins with a picture, lies between two of them, or refers to media; never two of the three. */
export function checkModes(content: VideoContent, model: VideoModel): void {
  const { images, videos, audios } = content;
  const references = [
    ...images.filter(({ role }) => role === "reference_image"),
    ...videos,
    ...audios,
  ];
  if (references.length > 0) checkReferences(content, model);
  else if (images.length > 0) checkFrames(images, model);
}

function checkReferences({ images, videos, audios }: VideoContent, model: VideoModel): void {
  const frame = images.find(({ role }) => role === "first_frame" || role === "last_frame");
  if (frame !== undefined) {
    const kind = frame.role === "first_frame" ? "first" : "last";
    throw invalidField(
      frame.path,
      `${kind} frame image content cannot be mixed with reference media content`,
    );
  }
  checkRoles(images);
  if (model.referenceImages === 0)
    throw invalidField("content", "reference media are not supported by the current model");
  const isOld = model.series === "1.0";
  checkCount(images, model.referenceImages, "reference images");
  checkCount(videos, isOld ? 0 : 3, "reference videos");
  checkCount(audios, isOld ? 0 : 3, "reference audios");
  if (images.length + videos.length === 0 && model.series === "2.0")
    throw invalidField("content", "reference audio needs a reference image or video");
}

function checkFrames(images: readonly Reference[], model: VideoModel): void {
  if (model.frames === "none")
    throw invalidField("content", "image content is not supported by the current model");
  if (images.length > 1) checkRoles(images);
  const firsts = images.filter(({ role }) => role !== "last_frame");
  const lasts = images.filter(({ role }) => role === "last_frame");
  checkCount(firsts, 1, "first frame images");
  checkCount(lasts, model.frames === "first and last" ? 1 : 0, "last frame images");
  const [last] = lasts;
  if (firsts.length === 0 && last !== undefined)
    throw invalidField(last.path, "a last frame image needs a first frame image");
}

function checkRoles(images: readonly Reference[]): void {
  const nameless = images.find(({ role }) => role === undefined);
  if (nameless !== undefined)
    throw invalidField(
      nameless.path,
      "role must be specified when there is more than one image or other media",
    );
}

function checkCount(list: readonly Reference[], most: number, what: string): void {
  const stranger = list[most];
  if (stranger === undefined) return;
  const reason =
    most === 0
      ? `${what} are not supported by the current model`
      : `at most ${most} ${what} are allowed`;
  throw invalidField(stranger.path, reason);
}
