/** A PNG as a file of another format; `quality` from 0 to 100 is for those that lose something. */
export async function encodePicture(
  png: Uint8Array,
  format: PictureFormat,
  quality = 100,
): Promise<Uint8Array> {
  if (format === "png") return png;
  const image = new Bun.Image(png);
  const options = { quality: Math.max(1, quality) };
  return (format === "jpeg" ? image.jpeg(options) : image.webp(options)).bytes();
}

export type PictureFormat = "png" | "jpeg" | "webp";
