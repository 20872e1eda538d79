import type { SoundTrack } from "./mp4.ts";

/** A track of silence: AAC-LC with one channel, whose every frame says that no band sounds. */
export function silence(seconds: number): SoundTrack {
  const frames = Math.max(1, Math.floor((seconds * RATE_HZ) / SAMPLES_PER_FRAME));
  return {
    rateHz: RATE_HZ,
    samplesPerFrame: SAMPLES_PER_FRAME,
    config: CONFIG,
    frames: Array.from({ length: frames }, () => FRAME),
  };
}

const RATE_HZ = 48_000;
const SAMPLES_PER_FRAME = 1_024;

/** Low complexity (2) in five bits, 48 kHz (3) and one channel (1) in four each, and three flags. */
const CONFIG = Buffer.from([0x11, 0x88]);

/**
 * One channel element (ISO/IEC 14496-3, table 4.50): its kind and number in
 * seven bits, a gain in eight, no bands in eleven, none of three tools, and
 * three bits for the end.
 */
const FRAME = Buffer.from([0x00, 0xc8, 0x00, 0x07]);
