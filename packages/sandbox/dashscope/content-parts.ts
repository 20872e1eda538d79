import { inspectMedia, type Media } from "../engine/media.ts";
import { fromBase64, fromUrl, objectOf, textOf, type PartReader } from "../openai/content-parts.ts";
import { field, readList, required } from "../openai/fields.ts";

/** Media that a user can send besides texts and images. */
export const QWEN_PARTS: Readonly<Record<string, PartReader>> = {
  /** A recording as a link, a data URL, or bare data. */
  input_audio(part, path) {
    const audio = objectOf(part, "input_audio", path);
    const data = textOf(audio, "data", `${path}.input_audio`);
    const place = `${path}.input_audio.data`;
    const media = /^(?:data:|https?:)/.test(data)
      ? fromUrl(data, "audio", place)
      : inspectMedia("audio", fromBase64(data, place));
    return { media };
  },

  video_url(part, path) {
    const url = textOf(objectOf(part, "video_url", path), "url", `${path}.video_url`);
    return { media: fromUrl(url, "video", `${path}.video_url.url`) };
  },

  /** A video as a list of its frames. */
  video(part, path) {
    const frames = field(part, "video", `${path}.video`);
    const list = required(frames, readList(frames, 1, 2_000));
    const [first] = list.map((frame, index): Media =>
      fromUrl(
        textOf({ frame }, "frame", `${path}.video[${index}]`),
        "image",
        `${path}.video[${index}]`,
      ),
    );
    return {
      media: {
        kind: "video",
        name: `${list.length} frames`,
        ...(first?.link === undefined ? {} : { link: first.link }),
      },
    };
  },
};
