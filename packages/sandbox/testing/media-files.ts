import { test } from "bun:test";

/** A box of an MP4 file, such as "moov/trak/mdia". */
interface Mp4Box {
  readonly path: string;
  /** Where its content begins, in the file. */
  readonly start: number;
  readonly bytes: Buffer;
}

/** All boxes, in the order of the file. */
export function mp4Boxes(file: Uint8Array, path = "", start = 0): readonly Mp4Box[] {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const boxes: Mp4Box[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length)
      throw new RangeError(`A box of ${path} does not fit.`);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + size);
    const name = path === "" ? type : `${path}/${type}`;
    boxes.push({ path: name, start: start + at + 8, bytes: content });
    if (CONTAINERS.has(type)) boxes.push(...mp4Boxes(content, name, start + at + 8));
    at += size;
  }
  return boxes;
}

const CONTAINERS = new Set(["moov", "trak", "mdia", "minf", "stbl", "dinf"]);

const hasFfmpeg = Bun.which("ffmpeg") !== null && Bun.which("ffprobe") !== null;

/** Tests by a reader of media that was not written here; skipped where it is not installed. */
export function testWithFfmpeg(title: string, run: () => Promise<void>): void {
  if (hasFfmpeg) test(title, run, 30_000);
  else test.skip(`skipped: ffmpeg and ffprobe are not installed: ${title}`, run);
}

/** What ffprobe says of a file's streams, one line each; and its warnings, of which there should be none. */
export async function probe(file: Uint8Array, entries: string): Promise<string> {
  const args = ["-v", "warning", "-show_entries", `stream=${entries}`, "-of", "compact=p=0:nk=1"];
  const { stdout, stderr } = await run(["ffprobe", ...args, "-i", "-"], file);
  return (stderr + stdout.toString()).trim();
}

/** All of a file's frames, as planes of brightness and colours. Throws at the first warning. */
export async function decodeFrames(file: Uint8Array): Promise<Buffer> {
  const args = ["-v", "warning", "-i", "-", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"];
  const { stdout, stderr } = await run(["ffmpeg", ...args], file);
  if (stderr !== "") throw new Error(stderr);
  return stdout;
}

async function run(command: readonly string[], input: Uint8Array) {
  const child = Bun.spawn([...command], {
    stdin: new Blob([new Uint8Array(input)]),
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  return { stdout: Buffer.from(stdout), stderr };
}
