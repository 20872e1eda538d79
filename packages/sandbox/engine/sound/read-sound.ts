import { aacSeconds } from "./aac.ts";
import { readFlac } from "./flac.ts";
import { readId3 } from "./id3.ts";
import { mp3Seconds } from "./mp3.ts";
import { readOgg } from "./ogg.ts";
import { readWav } from "./wav.ts";

/** A recording: what can be told of it, and the words that it carries if it was made here. */
export interface Sound {
  /** As in "audio/wav". */
  readonly mediaType: string;
  readonly seconds?: number;
  readonly words?: string;
}

/** By its content alone; `undefined` where it is no sound of a known kind. */
export function readSound(bytes: Uint8Array): Sound | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = file.toString("latin1", 0, 12);
  if (/^RIFF[^]{4}WAVE/.test(head)) return { mediaType: "audio/wav", ...readWav(file) };
  if (head.startsWith("fLaC")) return { mediaType: "audio/flac", ...readFlac(file) };
  if (head.startsWith("OggS")) return { mediaType: "audio/ogg", ...readOgg(file) };
  if (head.slice(4, 8) === "ftyp") return { mediaType: "audio/mp4", ...movieLength(file) };
  if (head.startsWith("\x1a\x45\xdf\xa3")) return { mediaType: "audio/webm" };
  return readFrames(file);
}

/** Sound in frames, behind a tag or not. */
function readFrames(file: Buffer): Sound | undefined {
  const { end, words } = readId3(file);
  const said = words === undefined ? {} : { words };
  const mp3 = mp3Seconds(file, end);
  if (mp3 !== undefined) return { mediaType: "audio/mpeg", seconds: mp3, ...said };
  const aac = aacSeconds(file, end);
  return aac === undefined ? undefined : { mediaType: "audio/aac", seconds: aac, ...said };
}

/** Of the head of a film, in either of its two versions. */
function movieLength(file: Buffer): { readonly seconds?: number } {
  const at = file.indexOf("mvhd");
  if (at === -1 || at + 40 > file.length) return {};
  const isLong = file.readUInt8(at + 4) === 1;
  const scale = file.readUInt32BE(at + (isLong ? 24 : 16));
  const length = isLong ? Number(file.readBigUInt64BE(at + 28)) : file.readUInt32BE(at + 20);
  return scale === 0 ? {} : { seconds: length / scale };
}
