/** A tag that says in words what is heard, as it stands before compressed sound. */
export function id3Tag(words: string): Uint8Array {
  const text = Buffer.from(words);
  // The language, an empty description, and the words.
  const body = Buffer.concat([Buffer.from([UTF_8]), Buffer.from("eng\0", "latin1"), text]);
  const frame = Buffer.concat([
    Buffer.from(COMMENT, "latin1"),
    sevenBits(body.length),
    Buffer.alloc(2),
    body,
  ]);
  const head = Buffer.from("ID3\x04\0\0", "latin1");
  return Buffer.concat([head, sevenBits(frame.length), frame]);
}

/** Start of the audio, and the text of the tag before it, if any. */
export function readId3(file: Buffer): { readonly end: number; readonly words?: string } {
  if (file.length < 10 || file.toString("latin1", 0, 3) !== "ID3") return { end: 0 };
  const end = 10 + readSevenBits(file, 6);
  for (let at = 10; at + 10 < Math.min(end, file.length);) {
    const length = readSevenBits(file, at + 4);
    const isComment = file.toString("latin1", at, at + 4) === COMMENT;
    if (isComment && file[at + 10] === UTF_8)
      return { end, words: file.toString("utf8", at + 15, at + 10 + length) };
    at += 10 + length;
  }
  return { end };
}

const COMMENT = "COMM";
const UTF_8 = 3;

/** Sizes have no byte that could be taken for the beginning of a frame of sound. */
function sevenBits(size: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f));
}

function readSevenBits(file: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((size, index) => (size << 7) | ((file[at + index] ?? 0) & 0x7f), 0);
}
