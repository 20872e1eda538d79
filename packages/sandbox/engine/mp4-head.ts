/** Facts in the header of an MP4 or QuickTime file. */
interface Mp4Head {
  /** Such as "isom", "qt  " or "heic". */
  readonly brand: string;
  readonly seconds?: number;
  readonly widthPixels?: number;
  readonly heightPixels?: number;
  readonly framesPerSecond?: number;
}

/** Nothing where it is no such file; little where its head is damaged. */
export function readMp4Head(file: Uint8Array): Mp4Head | undefined {
  const whole = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (whole.toString("latin1", 4, 8) !== "ftyp" || whole.length < 12) return undefined;
  const brand = whole.toString("latin1", 8, 12);
  try {
    return { brand, ...readMovie(whole) };
  } catch (cause) {
    // What ends too early is a damaged file, whose brand is all there is to say.
    if (cause instanceof RangeError) return { brand };
    throw cause;
  }
}

function readMovie(whole: Buffer): Omit<Mp4Head, "brand"> {
  const movie = inside(whole, "moov")[0];
  const header = movie === undefined ? undefined : inside(movie, "mvhd")[0];
  if (movie === undefined || header === undefined) return {};
  const seconds = secondsIn(header);
  const picture = inside(movie, "trak").find((track) => kindOf(track) === "vide");
  return { ...(seconds > 0 ? { seconds } : {}), ...(picture && readPicture(picture)) };
}

function readPicture(track: Buffer): Omit<Mp4Head, "brand" | "seconds"> {
  const header = inside(track, "tkhd")[0];
  const media = inside(track, "mdia", "mdhd")[0];
  const times = inside(track, "mdia", "minf", "stbl", "stts")[0];
  if (header === undefined || media === undefined || times === undefined) return {};
  const seconds = secondsIn(media);
  return {
    // Sixteen bits before the point, and sixteen after it.
    widthPixels: header.readUInt32BE(header.length - 8) / 65_536,
    heightPixels: header.readUInt32BE(header.length - 4) / 65_536,
    ...(seconds > 0 ? { framesPerSecond: countIn(times) / seconds } : {}),
  };
}

function kindOf(track: Buffer): string {
  return inside(track, "mdia", "hdlr")[0]?.toString("latin1", 8, 12) ?? "";
}

/** Of a header of a movie or of a track, in either of its two sizes. */
function secondsIn(header: Buffer): number {
  const isLong = header.readUInt8(0) === 1;
  const scale = header.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  return scale === 0 ? 0 : duration / scale;
}

/** How many pictures there are, which stand in runs of the same length. */
function countIn(times: Buffer): number {
  const runs = Math.min(times.readUInt32BE(4), Math.floor((times.length - 8) / 8));
  let count = 0;
  for (let run = 0; run < runs; run++) count += times.readUInt32BE(8 + run * 8);
  return count;
}

/** The contents of all boxes at that path. */
function inside(bytes: Buffer, ...path: readonly string[]): readonly Buffer[] {
  const [name, ...rest] = path;
  if (name === undefined) return [bytes];
  const found: Buffer[] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const short = bytes.readUInt32BE(at);
    const start = short === 1 ? 16 : 8;
    const size =
      short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short;
    if (size < start) break;
    if (bytes.toString("latin1", at + 4, at + 8) === name)
      found.push(...inside(bytes.subarray(at + start, at + size), ...rest));
    at += size;
  }
  return found;
}
