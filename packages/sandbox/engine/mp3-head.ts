/** How long an MP3 file is, by what its first frame says of all of them; nothing where it is none. */
export function readMp3Seconds(file: Uint8Array): number | undefined {
  const start = afterTag(file);
  const [sync, kind, rates] = [file[start], file[start + 1], file[start + 2]];
  if (sync !== 0xff || kind === undefined || rates === undefined || kind < 0xe0) return undefined;
  const version = VERSIONS[(kind >> 3) & 3];
  const isThird = ((kind >> 1) & 3) === 1;
  const kilobits = version === undefined ? undefined : KILOBITS[version][rates >> 4];
  if (!isThird || kilobits === undefined || kilobits === 0 || ((rates >> 2) & 3) === 3)
    return undefined;
  return ((file.length - start) * 8) / (kilobits * 1_000);
}

/** Titles and covers come first, in a part that tells its length in four times seven bits. */
function afterTag(file: Uint8Array): number {
  if (String.fromCharCode(...file.subarray(0, 3)) !== "ID3") return 0;
  return file.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 0x7f), 0) + 10;
}

const VERSIONS = ["second", undefined, "second", "first"] as const;
const KILOBITS = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  second: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
