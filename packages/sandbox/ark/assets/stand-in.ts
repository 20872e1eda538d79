import { paint } from "@sluice/sandbox/engine/picture.ts";
import { wavFile } from "@sluice/sandbox/engine/sound/wav.ts";
import { tonePcm16 } from "@sluice/sandbox/engine/tone.ts";
import { makeVideo } from "@sluice/sandbox/engine/video.ts";
import type { AssetType } from "./asset-file.ts";

/** Shown for an asset whose file is not available. */
interface StandIn {
  readonly mediaType: string;
  make(): Uint8Array | Promise<Uint8Array>;
}

export function placeholder(type: AssetType, name: string): StandIn {
  switch (type) {
    case "Image":
      return { mediaType: "image/png", make: () => paint(512, 512, name) };
    case "Video": {
      const requested = {
        width: 640,
        height: 360,
        seconds: 4,
        framesPerSecond: 24,
        hasSound: false,
      };
      return { mediaType: "video/mp4", make: () => makeVideo({ ...requested, prompt: name }) };
    }
    case "Audio":
      return { mediaType: "audio/wav", make: () => wavFile(tonePcm16(3)) };
  }
}
