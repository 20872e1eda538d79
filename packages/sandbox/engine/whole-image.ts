/** All of an image file can be read, and not only its beginning. */
export async function isWholeImage(bytes: Uint8Array): Promise<boolean> {
  try {
    await new Bun.Image(bytes).resize(1, 1).png().bytes();
    return true;
  } catch {
    return false;
  }
}

/** Whether a PNG file may have see-through pixels: by its kind of colour, or by a list of such colours. */
export function hasAlpha(png: Uint8Array): boolean {
  const file = Buffer.from(png);
  if (file.length < 26) return false;
  const colour = file.readUInt8(25);
  if (colour === GREY_ALPHA || colour === TRUE_ALPHA) return true;
  for (let at = 8; at + 8 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const name = file.toString("latin1", at + 4, at + 8);
    if (name === "tRNS") return true;
    if (name === "IDAT") return false;
  }
  return false;
}

const GREY_ALPHA = 4;
const TRUE_ALPHA = 6;
