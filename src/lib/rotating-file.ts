import { open, rename, type FileHandle } from "node:fs/promises";

interface RotationLimits {
  /** Size at which a new file begins. */
  readonly maxBytes: number;
  /** Number of full files that are kept besides the current one. */
  readonly keep: number;
}

/**
 * A file that is only appended to. At its maximum size it is renamed to `PATH.1`, the former
 * `PATH.1` to `PATH.2` and so on, and the oldest is replaced. Writes must not overlap.
 */
export class RotatingFile implements AsyncDisposable {
  readonly #path: string;
  readonly #limits: RotationLimits;
  #file: FileHandle;
  #sizeBytes: number;

  private constructor(path: string, limits: RotationLimits, file: FileHandle, sizeBytes: number) {
    this.#path = path;
    this.#limits = limits;
    this.#file = file;
    this.#sizeBytes = sizeBytes;
  }

  static async open(path: string, limits: RotationLimits): Promise<RotatingFile> {
    const file = await openToAppend(path);
    return new RotatingFile(path, limits, file, (await file.stat()).size);
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    if (this.#sizeBytes > 0 && this.#sizeBytes + bytes.length > this.#limits.maxBytes) {
      await this.#rotate();
    }
    await this.#file.appendFile(bytes);
    this.#sizeBytes += bytes.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #rotate(): Promise<void> {
    for (let number = this.#limits.keep - 1; number > 0; number--) {
      await rename(`${this.#path}.${number}`, `${this.#path}.${number + 1}`).catch(ignoreMissing);
    }
    await rename(this.#path, `${this.#path}.1`).catch(ignoreMissing);
    const full = this.#file;
    this.#file = await openToAppend(this.#path);
    this.#sizeBytes = (await this.#file.stat()).size;
    await full.close();
  }
}

/** Only its owner may read it. */
function openToAppend(path: string): Promise<FileHandle> {
  return open(path, "a", 0o600);
}

function ignoreMissing(cause: unknown): void {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return;
  throw cause;
}
