import type { VideoRequest } from "#core/video.ts";
import { defined } from "#lib/values.ts";

/** Options within the prompt. */
export type Flags = Partial<
  Pick<
    VideoRequest,
    | "resolution"
    | "ratio"
    | "seconds"
    | "frames"
    | "framesPerSecond"
    | "seed"
    | "watermark"
    | "cameraFixed"
  >
>;

/**
 * `--dur 5 --rs 720p` at the end of a prompt. The last of two equal flags applies; an unreadable
 * value is ignored, as the vendor does.
 */
export function readFlags(text: string): Flags {
  const said = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(FLAG)) said.set(kindOf(name), value);
  const of = (name: string): string => (said.get(name) ?? "").toLowerCase();
  const ratio = of("ratio");
  const resolution = of("resolution");
  return defined({
    resolution: /^(\d{3,4}p|[248]k)$/.test(resolution) ? resolution : undefined,
    ratio: /^(\d{1,2}:\d{1,2}|adaptive)$/.test(ratio) ? ratio : undefined,
    seconds: within(of("duration"), 1, MAX_SECONDS, true),
    frames: within(of("frames"), 1, MAX_FRAMES),
    framesPerSecond: within(of("fps"), 1, MAX_RATE),
    seed: within(of("seed"), 0, MAX_SEED, true),
    watermark: FLAGS.get(of("watermark")),
    cameraFixed: FLAGS.get(of("camerafixed")),
  });
}

const FLAG = /(?:^|\s)--([a-z]{1,16})[ \t]+(?!--)(\S{1,32})(?!\S)/gi;
const SHORT: ReadonlyMap<string, string> = new Map([
  ["rs", "resolution"],
  ["rt", "ratio"],
  ["dur", "duration"],
  ["wm", "watermark"],
  ["cf", "camerafixed"],
]);
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);
const MAX_SECONDS = 3_600;
const MAX_FRAMES = 10_000;
const MAX_RATE = 240;
const MAX_SEED = 4_294_967_295;

function kindOf(name: string): string {
  const kind = name.toLowerCase();
  return SHORT.get(kind) ?? kind;
}

/** Some models accept -1, which lets the model choose. */
function within(text: string, min: number, max: number, takesAny = false): number | undefined {
  if (takesAny && text === "-1") return -1;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
