import { SAMPLE_RATE_HZ } from "../tone.ts";

/** Samples of 16 bits, one channel, as a WAV file, which may say behind them what is heard. */
export function wavFile(pcm: Uint8Array, words = ""): Uint8Array {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(SAMPLE_RATE_HZ, 4);
  format.writeUInt32LE(SAMPLE_RATE_HZ * 2, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const comment = Buffer.concat([
    Buffer.from(INFO),
    chunk(COMMENT, Buffer.concat([Buffer.from(words), Buffer.alloc(1)])),
  ]);
  const body = Buffer.concat([
    Buffer.from("WAVE"),
    chunk("fmt ", format),
    chunk("data", pcm),
    ...(words === "" ? [] : [chunk("LIST", comment)]),
  ]);
  return chunk("RIFF", body);
}

/** Its length, and its metadata. */
export function readWav(file: Buffer): { readonly seconds?: number; readonly words?: string } {
  const found: { seconds?: number; words?: string } = {};
  let bytesPerSecond = 0;
  for (const { name, body } of chunks(file, 12)) {
    if (name === "fmt " && body.length >= 12) bytesPerSecond = body.readUInt32LE(8);
    if (name === "data" && bytesPerSecond > 0) found.seconds = body.length / bytesPerSecond;
    if (name !== "LIST" || body.toString("latin1", 0, 4) !== INFO) continue;
    const comment = [...chunks(body, 4)].find((each) => each.name === COMMENT);
    if (comment !== undefined) found.words = comment.body.toString("utf8").replace(/\0+$/, "");
  }
  return found;
}

const INFO = "INFO";
const COMMENT = "ICMT";

/** An odd length is filled up, and not counted. */
function chunk(name: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.write(name);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** The last one may promise more than there is, as in files that were written as a stream. */
function* chunks(file: Buffer, from: number): Generator<{ name: string; body: Buffer }> {
  for (let at = from; at + 8 <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    yield {
      name: file.toString("latin1", at, at + 4),
      body: file.subarray(at + 8, at + 8 + length),
    };
    at += 8 + length + (length % 2);
  }
}
