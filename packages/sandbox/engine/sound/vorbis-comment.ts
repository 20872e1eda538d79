/** Text metadata of FLAC and Opus files. */
export function vorbisComment(words: string): Uint8Array {
  return Buffer.concat([sized("sandbox"), uint32(1), sized(`${FIELD}=${words}`)]);
}

export function readVorbisComment(block: Buffer): string | undefined {
  let at = 0;
  const next = (): number => {
    const value = at + 4 <= block.length ? block.readUInt32LE(at) : 0;
    at += 4;
    return value;
  };
  const vendorBytes = next();
  at += vendorBytes;
  // Each takes four bytes at least, so that a false number ends with the block.
  for (let left = next(); left > 0 && at + 4 <= block.length; left--) {
    const length = next();
    const [name, ...value] = block.toString("utf8", at, at + length).split("=");
    if (name?.toUpperCase() === FIELD) return value.join("=");
    at += length;
  }
  return undefined;
}

const FIELD = "COMMENT";

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
