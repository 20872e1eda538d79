import { SAMPLE_RATE_HZ } from "../tone.ts";
import { silentAac } from "./aac.ts";
import { flacFile } from "./flac.ts";
import { silentMp3 } from "./mp3.ts";
import { silentOpus } from "./ogg.ts";
import { wavFile } from "./wav.ts";

export const SOUND_FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;

export type SoundFormat = (typeof SOUND_FORMATS)[number];

/**
 * Samples as a file that says in words what is heard. Where that would take an
 * encoder worth its name, the file is as long as the samples, and silent.
 */
export function encodeSound(pcm: Uint8Array, format: SoundFormat, words: string): Uint8Array {
  const samples = pcm.length / 2;
  switch (format) {
    case "mp3":
      return silentMp3(samples, words);
    case "aac":
      return silentAac(samples, words);
    case "opus":
      return silentOpus(samples / SAMPLE_RATE_HZ, words);
    case "flac":
      return flacFile(pcm, words);
    case "wav":
      return wavFile(pcm, words);
    case "pcm":
      return pcm;
  }
}
