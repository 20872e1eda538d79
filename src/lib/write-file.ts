import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

/**
 * Writes bytes to a new file as they arrive, with back-pressure. The file is
 * synced to disk at the end.
 */
export async function writeFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly sizeBytes: number; readonly digest: string }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  await using file = await open(path, "wx", 0o600);
  for await (const piece of bytes) {
    hash.update(piece);
    await file.writeFile(piece);
    sizeBytes += piece.length;
  }
  await file.sync();
  return { sizeBytes, digest: hash.digest("hex") };
}
