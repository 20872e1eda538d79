import { viewOf } from "./sse-bytes.ts";

/**
 * Play time of an MP4 or MOV file in ms, from its header; undefined if the
 * header follows the media data or is missing.
 */
export function mp4TimeOf(bytes: Uint8Array): number | undefined {
  const view = viewOf(bytes);
  const moov = findBox(view, "moov", 0, view.length);
  const mvhd = moov && findBox(view, "mvhd", moov.start, moov.end);
  if (mvhd === undefined || mvhd.start + 32 > view.length) return undefined;
  const isLong = view.readUInt8(mvhd.start) === 1;
  const at = mvhd.start + (isLong ? 20 : 12);
  const scale = view.readUInt32BE(at);
  const duration = isLong ? Number(view.readBigUInt64BE(at + 4)) : view.readUInt32BE(at + 4);
  const isKnown = scale > 0 && duration > 0 && duration < 0xffff_ffff;
  return isKnown ? Math.round((duration * 1_000) / scale) : undefined;
}

interface Box {
  /** Position after the box header. */
  readonly start: number;
  readonly end: number;
}

function findBox(view: Buffer, name: string, from: number, to: number): Box | undefined {
  for (let at = from; at + 8 <= Math.min(to, view.length);) {
    const short = view.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= view.length;
    const size = isLong ? Number(view.readBigUInt64BE(at + 8)) : short;
    const head = isLong ? 16 : 8;
    if (view.toString("latin1", at + 4, at + 8) === name) {
      return { start: at + head, end: size === 0 ? to : at + size };
    }
    if (size < head) return undefined;
    at += size;
  }
  return undefined;
}
