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
  /** Where copies may be found, whether or not new ones are made there. */
  readonly stores: Readonly<Partial<Record<MediaPlace, MediaStore>>>;
  onError(cause: unknown): void;
}

/** Files that tasks have made, wherever they are. */
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

  /** How many are on their way. */
  get count(): number {
    return this.#downloads.count;
  }

  /** For whoever may see the task: our copy of it, else what its vendor has. */
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

  /** Ends what is on its way by links to elsewhere or out of a store; upstreams' own answers end with all others. */
  abortAll(reason: GatewayError): void {
    this.#ending = reason;
    this.#deps.files.abortAll(reason);
  }

  /** Copies what is due. */
  copyDue(signal: AbortSignal): Promise<void> {
    return copyDue({ ...this.#deps, vendor: this.#vendor }, signal);
  }

  async *#endable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      if (this.#ending !== undefined) throw this.#ending;
      yield piece;
    }
  }

  /** Undefined where there is none, or where it cannot be had: its vendor may still have the file. */
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
