/** The media type by the first bytes; undefined if they are not recognised. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  return SIGNATURES.find(({ at = 0, sign }) => head.subarray(at, at + sign.length).equals(sign))
    ?.mediaType;
}

/** The number of bytes that is enough for all known types. */
export const HEAD_BYTES = 16;

const SIGNATURES: readonly { mediaType: string; sign: Buffer; at?: number }[] = [
  { mediaType: "image/png", sign: Buffer.from("89504e470d0a1a0a", "hex") },
  { mediaType: "image/jpeg", sign: Buffer.from("ffd8ff", "hex") },
  { mediaType: "image/gif", sign: Buffer.from("GIF8") },
  { mediaType: "image/webp", sign: Buffer.from("WEBP"), at: 8 },
  { mediaType: "application/pdf", sign: Buffer.from("%PDF-") },
  { mediaType: "audio/wav", sign: Buffer.from("WAVE"), at: 8 },
  { mediaType: "audio/mpeg", sign: Buffer.from("ID3") },
  { mediaType: "audio/ogg", sign: Buffer.from("OggS") },
  { mediaType: "audio/flac", sign: Buffer.from("fLaC") },
  { mediaType: "video/mp4", sign: Buffer.from("ftyp"), at: 4 },
  { mediaType: "video/webm", sign: Buffer.from("1a45dfa3", "hex") },
];
