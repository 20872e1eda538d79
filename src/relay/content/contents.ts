import type { GatewayError } from "#core/error.ts";
import { pathOf, type MediaCopyStore, type MediaPlace, type MediaStore } from "#core/kept-media.ts";
import type { Task } from "#core/task.ts";
import { VendorContent, type VendorDeps } from "./at-vendor.ts";
import { answerWith, type Content, type ContentRequest } from "./content.ts";
import { copyDue } from "./copies.ts";
import { Downloads, type DownloadLimits } from "./downloads.ts";

export interface ContentsDeps extends VendorDeps {
  readonly limits: VendorDeps["limits"] & DownloadLimits;
  readonly copies: MediaCopyStore;
  /** Stores that may have copies, including those that get no new ones. */
  readonly stores: Readonly<Partial<Record<MediaPlace, MediaStore>>>;
  onError(cause: unknown): void;
}

/** Files of tasks, from any store or vendor. */
export class Contents {
  readonly #deps: ContentsDeps;
  readonly #vendor: VendorContent;
  readonly #downloads: Downloads;
  #ending: GatewayError | undefined;

  constructor(deps: ContentsDeps) {
    this.#deps = deps;
    this.#vendor = new VendorContent(deps);
    this.#downloads = new Downloads(deps.limits);
  }

  /** Number of open files. */
  get count(): number {
    return this.#downloads.count;
  }

  /** For a caller who may see the task: the gateway's copy, else the vendor's file. */
  async open(task: Task, contentRequest: ContentRequest, keyId: number): Promise<Content> {
    const place = this.#downloads.enter(keyId);
    try {
      const content =
        (await this.#copyOf(task, contentRequest)) ??
        (await this.#vendor.open(task, contentRequest));
      return {
        ...content,
        close() {
          content.close();
          place[Symbol.dispose]();
        },
      };
    } catch (cause) {
      place[Symbol.dispose]();
      throw cause;
    }
  }

  /** Aborts downloads from links and stores; upstream responses end with all other calls. */
  abortAll(reason: GatewayError): void {
    this.#ending = reason;
    this.#deps.files.abortAll(reason);
  }

  /** Makes the copies that are due. */
  copyDue(signal: AbortSignal): Promise<void> {
    return copyDue({ ...this.#deps, vendor: this.#vendor }, signal);
  }

  async *#endable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      if (this.#ending !== undefined) throw this.#ending;
      yield piece;
    }
  }

  /** Undefined if no copy exists or it cannot be read: the vendor may still have the file. */
  async #copyOf(
    { id: taskId }: Task,
    contentRequest: ContentRequest,
  ): Promise<Content | undefined> {
    const { copies, stores, onError } = this.#deps;
    if (Object.keys(stores).length === 0) return undefined;
    const copy = await copies.find({
      taskId,
      index: contentRequest.index,
      variant: contentRequest.variant,
    });
    const store = copy && stores[copy.place];
    if (copy?.kept === undefined || store === undefined) return undefined;
    const { sizeBytes, mediaType, digest } = copy.kept;
    const about = { sizeBytes, mediaType, etag: `"${digest}"` };
    const { head, bytes } = answerWith(about, contentRequest);
    try {
      const body = await store.open(pathOf(copy), sizeBytes, bytes);
      if (body === undefined) return undefined;
      return { ...head, body: body instanceof Blob ? body : this.#endable(body), close() {} };
    } catch (cause) {
      onError(cause);
      return undefined;
    }
  }
}
