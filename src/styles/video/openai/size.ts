import { invalid } from "#core/error.ts";
import type { VideoRequest } from "#core/video.ts";
import { oneOf } from "#styles/video/allowed.ts";
import type { VideoDialect } from "./dialect.ts";

/** Sides must be whole even numbers. */
const EVEN = 2;
const USUAL_SIDE = 720;
const SIDES: ReadonlyMap<string, number> = new Map([
  ["2k", 1_440],
  ["4k", 2_160],
]);

type Framed = Pick<VideoRequest, "size" | "resolution" | "ratio">;

/** The size in pixels from any notation; undefined if the client set none. */
export function sizeOf(question: Framed, { sizes }: VideoDialect): string | undefined {
  const { size, resolution, ratio = "adaptive" } = question;
  if (size !== undefined) return oneOf(size.toLowerCase().replace("*", "x"), sizes, "size");
  if (ratio === "adaptive" && resolution === undefined) return undefined;
  const side = resolution === undefined ? USUAL_SIDE : sideOf(resolution);
  // Portrait is this format's default.
  const [across, down] = ratio === "adaptive" ? [9, 16] : sidesOf(ratio);
  const made = shaped(side, across, down);
  return oneOf(made, sizes, ratio === "adaptive" ? "resolution" : "ratio");
}

function sideOf(resolution: string): number {
  const side = SIDES.get(resolution) ?? Number(/^(\d{3,4})p$/.exec(resolution)?.[1]);
  if (side > 0) return side;
  throw invalid("resolution", "'resolution' must be a number of lines, such as 720p.");
}

function sidesOf(ratio: string): readonly [number, number] {
  const [, across = 0, down = 0] = (/^(\d{1,2}):(\d{1,2})$/.exec(ratio) ?? []).map(Number);
  if (across > 0 && down > 0) return [across, down];
  throw invalid("ratio", "'ratio' must be a width and a height, such as 16:9.");
}

/** A resolution is named after the shorter side. */
function shaped(side: number, across: number, down: number): string {
  const longer = (Math.max(across, down) / Math.min(across, down)) * side;
  const even = Math.round(longer / EVEN) * EVEN;
  return across >= down ? `${even}x${side}` : `${side}x${even}`;
}
