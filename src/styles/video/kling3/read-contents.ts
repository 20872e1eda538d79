import { invalid } from "#core/error.ts";
import type { VideoMedia, VideoScenario } from "#core/video.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, textOf } from "#lib/values.ts";
import { checkInputs } from "../kling/omni.ts";
import { readMedia } from "../read-media.ts";

/** Path segments before the last one. */
export const PATHS = ["text-to-video", "image-to-video", "omni-video"] as const;

export interface Contents {
  readonly scenario: VideoScenario;
  readonly prompt?: string;
  readonly media: readonly VideoMedia[];
  /** Elements that only the vendor supports, unchanged. */
  readonly others: readonly JsonObject[];
}

/** The text and all media of a validated body. */
export function readContents(path: string | undefined, body: JsonObject): Contents {
  const contents = listOf(body["contents"]).filter(isObject);
  const words = [body["prompt"], ...contents.filter(isPrompt).map(({ text }) => text)];
  const prompt = words.find((each) => (textOf(each) ?? "").trim() !== "");
  if (path === "text-to-video" && prompt === undefined) {
    throw invalid("prompt", "'prompt' is required.");
  }
  if (path !== "text-to-video" && contents.length === 0) {
    throw invalid("contents", "'contents' must have a text or media.");
  }
  if (path === "omni-video") checkOmni(contents);
  const plain = contents.filter(isPlain);
  if (path === "text-to-video" && plain.length > 0) {
    throw invalid("contents", "'contents' must have only text for text-to-video.");
  }
  return {
    scenario: path === "text-to-video" ? "text" : scenarioIn(contents, path),
    ...defined({ prompt: textOf(prompt) }),
    media: plain.flatMap((each) => mediumIn(each, `contents[${contents.indexOf(each)}]`)),
    others: contents.filter((each) => !isPlain(each) && !isPrompt(each)),
  };
}

function isPrompt({ type }: JsonObject): boolean {
  return type === "prompt";
}

const MEMBERS: ReadonlySet<string> = new Set(["type", "url", "id", "voice_id"]);
const ROLES: ReadonlyMap<Json | undefined, Pick<VideoMedia, "type" | "role">> = new Map([
  ["first_frame", { type: "image", role: "first_frame" }],
  ["last_frame", { type: "image", role: "last_frame" }],
  ["refer_image", { type: "image", role: "reference" }],
  ["feature_video", { type: "video", role: "reference" }],
  ["base_video", { type: "video", role: "base" }],
  ["voice", { type: "audio", role: "voice" }],
]);

/** Elements with unknown members are forwarded as a whole, so that nothing is lost. */
function isPlain(element: JsonObject): boolean {
  return ROLES.has(element["type"]) && Object.keys(element).every((name) => MEMBERS.has(name));
}

function mediumIn(element: JsonObject, at: string): readonly VideoMedia[] {
  const kind = ROLES.get(element["type"]);
  if (kind === undefined) return [];
  const tag = textOf(element["id"]);
  const source =
    kind.role === "voice"
      ? ({ kind: "reference", id: textOf(element["voice_id"]) ?? "" } as const)
      : readMedia(textOf(element["url"]) ?? "", kind.type, `${at}.url`);
  return [{ ...kind, source, ...(tag === undefined || tag === "" ? {} : { tag }) }];
}

function scenarioIn(contents: readonly JsonObject[], path: string | undefined): VideoScenario {
  const types = new Set(contents.map(({ type }) => type));
  const isFramesOnly = [...types].every(
    (type) => type === "prompt" || type === "first_frame" || type === "last_frame",
  );
  if (types.has("last_frame") && isFramesOnly) return "first_last";
  if (types.has("first_frame") && isFramesOnly) return "first_frame";
  if (isFramesOnly) return "text";
  return path === "omni-video" ? "omni" : "reference";
}

/** All media count, including frames and the vendor's elements. */
function checkOmni(contents: readonly JsonObject[]): void {
  const count = (...types: readonly string[]): number =>
    contents.filter(({ type }) => types.includes(textOf(type) ?? "")).length;
  checkInputs(
    count("feature_video", "base_video"),
    count("first_frame", "last_frame", "refer_image", "element"),
  );
}
