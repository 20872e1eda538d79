import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { TaskRef, VideoMedia, VideoRequest } from "#core/video.ts";
import { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import type { VideoEndpoint } from "#providers/provider.ts";

/** Our id of every task here. */
export const OUR_ID = "task_ours";
export const CALLBACK = "https://gateway.test/callbacks/1";

export function question(model: string, said: Partial<VideoRequest> = {}): VideoRequest {
  return { model, scenario: "text", prompt: "a lake", media: [], ...said };
}

export function linked(role: VideoMedia["role"], url: string, more: Partial<VideoMedia> = {}) {
  return { type: "image", role, source: { kind: "url", url }, ...more } satisfies VideoMedia;
}

export function held(role: VideoMedia["role"], base64 = "aGk=", mediaType = "image/png") {
  return {
    type: "image",
    role,
    source: { kind: "base64", base64, mediaType },
  } satisfies VideoMedia;
}

export const FIRST = linked("first_frame", "https://a.test/1.png");
export const LAST = linked("last_frame", "https://a.test/2.png");
export const LOOK = linked("reference", "https://a.test/r.png");
export const CLIP = linked("reference", "https://a.test/c.mp4", { type: "video" });
export const BASE = linked("base", "https://a.test/b.mp4", { type: "video" });
export const SOUND = linked("reference", "https://a.test/s.mp3", { type: "audio" });

/** The row of a vendor's that such a question goes to. */
export function rowFor(provider: string, asked: VideoRequest): VideoEndpoint {
  const row = findProvider(provider)?.videos?.find(
    (each) => (each.serves?.(asked.model) ?? true) && (each.answers?.(asked) ?? true),
  );
  if (row === undefined) throw new Error(`'${provider}' does not make such videos.`);
  return row;
}

/** What a vendor is sent for a question, and what of it is lost. */
export function requestOf(
  provider: string,
  model: string,
  said: Partial<VideoRequest> = {},
  callbackUrl?: string,
): { readonly path: string; readonly body: JsonObject; readonly lost: readonly string[] } {
  const asked = question(model, said);
  const { style, path, dialect } = rowFor(provider, asked);
  const report = new LossReport();
  const body = style.outbound.build(asked, {
    report,
    model: NO_TRAITS,
    externalId: OUR_ID,
    ...(dialect === undefined ? {} : { dialect }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
  });
  if (body instanceof Form) throw new Error("A form, where JSON was expected.");
  return { path: path(model, asked, {}), body, lost: report.fields };
}

/** Why it is refused: its code, the field, and the words; undefined where it is not. */
export function refusalOf(...args: Parameters<typeof requestOf>): string | undefined {
  return failureOf(() => requestOf(...args));
}

export function failureOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    return [cause.code, cause.param, cause.message]
      .filter((each) => each !== undefined)
      .join(" | ");
  }
  return undefined;
}

export function task(upstreamModel: string, more: Partial<TaskRef> = {}): TaskRef {
  return { upstreamId: "77", upstreamModel, scenario: "text", externalId: OUR_ID, ...more };
}

const NO_TRAITS: ModelTraits = {};
