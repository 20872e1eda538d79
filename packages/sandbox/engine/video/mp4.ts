/**
 * An MP4 file that a player can begin before it has all of it: what there is
 * stands before the media themselves. ISO/IEC 14496-12, -14 and -15.
 */
export function mp4File(video: VideoTrack, sound: SoundTrack | undefined, brand: Brand): Buffer {
  const tracks: readonly Track[] = [
    videoTrack(video),
    ...(sound === undefined ? [] : [soundTrack(sound)]),
  ];
  const head = box("ftyp", text(brand), u32(512), text(brand), text("isomiso2avc1mp41"));
  // Where the media lie depends on how long what is told of them is, which does not depend on where they lie.
  const size = movie(
    tracks,
    tracks.map(() => 0),
  ).length;
  let at = head.length + size + 8;
  const places = tracks.map(({ samples }) => {
    const place = at;
    at += total(samples);
    return place;
  });
  const media = tracks.flatMap(({ samples }) => samples);
  return Buffer.concat([
    head,
    movie(tracks, places),
    u32(8 + total(media)),
    text("mdat"),
    ...media,
  ]);
}

export type Brand = "isom" | "qt  ";

interface VideoTrack {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly level: number;
  readonly sequenceSet: Uint8Array;
  readonly pictureSet: Uint8Array;
  /** The first one stands for itself, the others go on from the one before. */
  readonly frames: readonly Uint8Array[];
}

/** AAC with one channel. */
export interface SoundTrack {
  readonly rateHz: number;
  readonly samplesPerFrame: number;
  /** AudioSpecificConfig, ISO/IEC 14496-3. */
  readonly config: Uint8Array;
  readonly frames: readonly Uint8Array[];
}

interface Track {
  readonly kind: "vide" | "soun";
  /** In how many parts of a second it counts, and how many of them a sample lasts. */
  readonly timescale: number;
  readonly sampleTicks: number;
  readonly samples: readonly Uint8Array[];
  readonly width: number;
  readonly height: number;
  readonly mediaHeader: Buffer;
  readonly description: Buffer;
  /** Nothing where every sample stands for itself. */
  readonly keySamples: Buffer;
}

function videoTrack(video: VideoTrack): Track {
  const { width, height, framesPerSecond, level, sequenceSet, pictureSet } = video;
  const configuration = box(
    "avcC",
    Buffer.from([1, sequenceSet[1] ?? 0, sequenceSet[2] ?? 0, level, 0xff, 0xe1]),
    u16(sequenceSet.length),
    sequenceSet,
    Buffer.from([1]),
    u16(pictureSet.length),
    pictureSet,
  );
  const entry = box(
    "avc1",
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(width),
    u16(height),
    u32(INCH),
    u32(INCH),
    u32(0),
    u16(1),
    Buffer.alloc(32),
    u16(24),
    u16(0xffff),
    configuration,
  );
  return {
    kind: "vide",
    timescale: framesPerSecond * FRAME_TICKS,
    sampleTicks: FRAME_TICKS,
    samples: video.frames.map((frame) => Buffer.concat([u32(frame.length), frame])),
    width,
    height,
    mediaHeader: fullBox("vmhd", 1, Buffer.alloc(8)),
    description: entry,
    keySamples: fullBox("stss", 0, u32(1), u32(1)),
  };
}

const FRAME_TICKS = 512;
/** 72 dots to an inch, in 65,536ths. */
const INCH = 72 * 65_536;

function soundTrack({ rateHz, samplesPerFrame, config, frames }: SoundTrack): Track {
  const decoder = descriptor(4, Buffer.from([0x40, 0x15]), Buffer.alloc(11), descriptor(5, config));
  const stream = descriptor(3, u16(1), Buffer.alloc(1), decoder, descriptor(6, Buffer.from([2])));
  const entry = box(
    "mp4a",
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(8),
    u16(1),
    u16(16),
    u32(0),
    u32(rateHz * 65_536),
    fullBox("esds", 0, stream),
  );
  return {
    kind: "soun",
    timescale: rateHz,
    sampleTicks: samplesPerFrame,
    samples: frames,
    width: 0,
    height: 0,
    mediaHeader: fullBox("smhd", 0, Buffer.alloc(4)),
    description: entry,
    keySamples: Buffer.alloc(0),
  };
}

function movie(tracks: readonly Track[], places: readonly number[]): Buffer {
  const duration = Math.max(...tracks.map(movieTicks));
  const header = fullBox(
    "mvhd",
    0,
    Buffer.alloc(8),
    u32(TICKS),
    u32(duration),
    u32(65_536),
    u16(256),
    Buffer.alloc(10),
    MATRIX,
    Buffer.alloc(24),
    u32(tracks.length + 1),
  );
  return box(
    "moov",
    header,
    ...tracks.map((track, index) => trackBox(track, index + 1, places[index] ?? 0)),
  );
}

/** In how many parts of a second the whole is measured. */
const TICKS = 1_000;

/** Neither turned nor scaled. */
const MATRIX = Buffer.concat([65_536, 0, 0, 0, 65_536, 0, 0, 0, 2 ** 30].map(u32));

function movieTicks({ samples, sampleTicks, timescale }: Track): number {
  return Math.round((samples.length * sampleTicks * TICKS) / timescale);
}

function trackBox(track: Track, id: number, place: number): Buffer {
  const { kind, timescale, sampleTicks, samples, width, height } = track;
  const header = fullBox(
    "tkhd",
    3,
    Buffer.alloc(8),
    u32(id),
    u32(0),
    u32(movieTicks(track)),
    Buffer.alloc(12),
    u16(kind === "soun" ? 256 : 0),
    u16(0),
    MATRIX,
    u32(width * 65_536),
    u32(height * 65_536),
  );
  const mediaHeader = fullBox(
    "mdhd",
    0,
    Buffer.alloc(8),
    u32(timescale),
    u32(samples.length * sampleTicks),
    u16(UNDETERMINED),
    u16(0),
  );
  const name = kind === "vide" ? "VideoHandler\0" : "SoundHandler\0";
  const handler = fullBox("hdlr", 0, u32(0), text(kind), Buffer.alloc(12), text(name));
  const here = box("dinf", fullBox("dref", 0, u32(1), fullBox("url ", 1)));
  const information = box("minf", track.mediaHeader, here, sampleTable(track, place));
  return box("trak", header, box("mdia", mediaHeader, handler, information));
}

/** The language "und", in three times five bits. */
const UNDETERMINED = 0x55c4;

/** All samples of a track lie one after the other, in one chunk. */
function sampleTable({ samples, sampleTicks, description, keySamples }: Track, place: number) {
  const sizes = Buffer.concat(samples.map((sample) => u32(sample.length)));
  return box(
    "stbl",
    fullBox("stsd", 0, u32(1), description),
    fullBox("stts", 0, u32(1), u32(samples.length), u32(sampleTicks)),
    keySamples,
    fullBox("stsc", 0, u32(1), u32(1), u32(samples.length), u32(1)),
    fullBox("stsz", 0, u32(0), u32(samples.length), sizes),
    fullBox("stco", 0, u32(1), u32(place)),
  );
}

function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([u32(8 + total(parts)), text(type), ...parts]);
}

function fullBox(type: string, flags: number, ...parts: readonly Uint8Array[]): Buffer {
  return box(type, u32(flags), ...parts);
}

/** ISO/IEC 14496-1, clause 8.3.3; all of ours are short. */
function descriptor(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from([tag, total(parts)]), ...parts]);
}

function total(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function text(value: string): Buffer {
  return Buffer.from(value, "latin1");
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
