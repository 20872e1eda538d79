import { checksum } from "./checksum.ts";
import { readVorbisComment, vorbisComment } from "./vorbis-comment.ts";

/** Silence as an Opus file: packets that say nothing, in pages of a second each. */
export function silentOpus(seconds: number, words: string): Uint8Array {
  const end = Math.round(seconds * RATE_HZ) + SKIPPED_SAMPLES;
  const packets = Math.ceil(end / PACKET_SAMPLES);
  const pages = [
    page([opusHead()], { granule: 0, number: 0, flags: FIRST }),
    page([Buffer.concat([Buffer.from(TAGS), vorbisComment(words)])], {
      granule: 0,
      number: 1,
      flags: 0,
    }),
  ];
  for (let done = 0; done < packets;) {
    const count = Math.min(PACKETS_PER_PAGE, packets - done);
    done += count;
    const isLast = done === packets;
    // The last page ends where the sound does, and cuts the last packet short.
    const granule = isLast ? end : done * PACKET_SAMPLES;
    const place = { granule, number: pages.length, flags: isLast ? LAST : 0 };
    pages.push(page(Array<Uint8Array>(count).fill(SILENCE), place));
  }
  return Buffer.concat(pages);
}

/** Its length, if it is Opus or Vorbis, and its metadata. */
export function readOgg(file: Buffer): { readonly seconds?: number; readonly words?: string } {
  const last = file.lastIndexOf("OggS");
  const granule = last + 14 <= file.length ? Number(file.readBigUInt64LE(last + 6)) : 0;
  const head = file.indexOf(HEAD);
  const vorbis = file.indexOf("\x01vorbis", 0, "latin1");
  const tags = file.indexOf(TAGS);
  const words = tags === -1 ? undefined : readVorbisComment(file.subarray(tags + TAGS.length));
  const seconds =
    head !== -1 && head + 12 <= file.length
      ? (granule - file.readUInt16LE(head + 10)) / RATE_HZ
      : vorbis !== -1 && vorbis + 16 <= file.length
        ? granule / Math.max(1, file.readUInt32LE(vorbis + 12))
        : undefined;
  return {
    ...(seconds === undefined ? {} : { seconds: Math.max(0, seconds) }),
    ...(words === undefined ? {} : { words }),
  };
}

/** Opus counts at this rate, whatever the rate of the sound. */
const RATE_HZ = 48_000;
const PACKET_SAMPLES = 960;
const PACKETS_PER_PAGE = 50;
/** Samples that a decoder needs to settle. */
const SKIPPED_SAMPLES = 312;
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
const HEAD = "OpusHead";
const TAGS = "OpusTags";
const FIRST = 2;
const LAST = 4;

/** Version 1, one channel, made of sound at 24 kHz, neither louder nor softer. */
function opusHead(): Buffer {
  const head = Buffer.alloc(19);
  head.write(HEAD);
  head.set([1, 1], 8);
  head.writeUInt16LE(SKIPPED_SAMPLES, 10);
  head.writeUInt32LE(24_000, 12);
  return head;
}

interface Place {
  /** Up to which sample the page goes. */
  readonly granule: number;
  readonly number: number;
  readonly flags: number;
}

function page(packets: readonly Uint8Array[], { granule, number, flags }: Place): Buffer {
  // Each packet is so many full segments and one that is not.
  const lengths = packets.flatMap(({ length }) => [
    ...Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  const head = Buffer.alloc(27);
  head.write("OggS");
  head.writeUInt8(flags, 5);
  head.writeBigUInt64LE(BigInt(granule), 6);
  head.writeUInt32LE(SERIAL, 14);
  head.writeUInt32LE(number, 18);
  head.writeUInt8(lengths.length, 26);
  const whole = Buffer.concat([head, Buffer.from(lengths), ...packets]);
  whole.writeUInt32LE(checksum(whole, 32, 0x04c11db7), 22);
  return whole;
}

const SERIAL = 1;
