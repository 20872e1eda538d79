import { createHmac, timingSafeEqual } from "node:crypto";
import type { Asset, AssetStore } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import type { MediaFetcher } from "#core/media.ts";
import type { MediaOrigin } from "#core/video.ts";
import type { Clock } from "#lib/clock.ts";
import type { OwnFiles } from "./local-files.ts";

interface OwnLinkDeps {
  readonly assets: AssetStore;
  readonly files: Pick<OwnFiles, "open">;
  readonly clock: Clock;
  readonly key: Uint8Array;
  /** Without a trailing slash; undefined if the gateway has no public URL. */
  readonly publicUrl: string | undefined;
}

export const ASSET_CONTENT_PATH = "/v1/assets/content";
const HOUR_MS = 3_600_000;
/** Lifetime of a link: a vendor downloads inputs when it starts a task. */
const LINK_MS = 6 * HOUR_MS;

/** Signed URLs of files that the gateway stores; each gives access for a limited time. */
export class OwnLinks {
  readonly #deps: OwnLinkDeps;

  constructor(deps: OwnLinkDeps) {
    this.#deps = deps;
  }

  /** Undefined if the file is not stored here, or the gateway has no public URL. */
  linkTo(asset: Asset): string | undefined {
    const { publicUrl } = this.#deps;
    const path = publicUrl === undefined ? undefined : this.pathTo(asset);
    return path === undefined ? undefined : `${publicUrl}${path}`;
  }

  /** The link without the gateway's address; undefined if the file is not stored here. */
  pathTo(asset: Asset): string | undefined {
    if (asset.file === undefined || asset.status !== "active") return undefined;
    const expires = String(this.#deps.clock.now() + LINK_MS);
    const signature = this.#sign(asset.id, expires);
    return `${ASSET_CONTENT_PATH}/${asset.id}?expires=${expires}&signature=${signature}`;
  }

  /** The asset of a signed URL; undefined if the signature is invalid or has expired. */
  async find(id: string, query: URLSearchParams): Promise<Asset | undefined> {
    const expires = query.get("expires") ?? "";
    const shown = Buffer.from(query.get("signature") ?? "");
    const expected = Buffer.from(this.#sign(id, expires));
    const isOurs = shown.length === expected.length && timingSafeEqual(shown, expected);
    if (!isOurs || Number(expires) <= this.#deps.clock.now()) return undefined;
    return await this.#deps.assets.findAny(id);
  }

  /** The input for vendors: a URL if vendors can reach the gateway, else the bytes. */
  async originOf(asset: Asset): Promise<MediaOrigin> {
    const url = this.linkTo(asset);
    if (url !== undefined) return { kind: "url", url };
    return { kind: "bytes", ...(await this.#read(asset)) };
  }

  /** A media fetcher that reads the gateway's own URLs from storage instead of over the network. */
  shortcut(media: MediaFetcher): MediaFetcher {
    return {
      follow: async (url, signal, upstream) => {
        const asset = await this.#behind(url);
        if (asset === undefined) return await media.follow(url, signal, upstream);
        return await this.#read(asset);
      },
    };
  }

  async #behind(url: string): Promise<Asset | undefined> {
    const prefix = `${this.#deps.publicUrl ?? ""}${ASSET_CONTENT_PATH}/`;
    if (this.#deps.publicUrl === undefined || !url.startsWith(prefix)) return undefined;
    const { pathname, searchParams } = new URL(url);
    return await this.find(pathname.slice(pathname.lastIndexOf("/") + 1), searchParams);
  }

  async #read(asset: Asset): Promise<{ readonly bytes: Buffer; readonly mediaType: string }> {
    const { file } = asset;
    const span = { start: 0, end: file?.sizeBytes ?? 0 };
    const bytes = await this.#deps.files.open(asset, span);
    if (file === undefined || bytes === undefined) {
      throw new GatewayError("unavailable", "The file of this asset cannot be read now.");
    }
    const pieces =
      bytes instanceof Blob
        ? [new Uint8Array(await bytes.arrayBuffer())]
        : await Array.fromAsync(bytes);
    return { bytes: Buffer.concat(pieces), mediaType: file.mediaType };
  }

  #sign(id: string, expires: string): string {
    return createHmac("sha256", this.#deps.key).update(`${id}\n${expires}`).digest("base64url");
  }
}
