import { createHmac, timingSafeEqual } from "node:crypto";
import type { Variant } from "#core/kept-media.ts";
import type { Task } from "#core/task.ts";
import type { InboundVideoFormat } from "#core/video.ts";
import type { Clock } from "#lib/clock.ts";
import type { TaskAddress } from "#relay/tasks/links.ts";

/** The lifetime of the vendors' own links, so that clients need no other rule. */
const LINK_MS = 24 * 3_600_000;

interface TaskLinkerDeps {
  readonly clock: Clock;
  readonly key: Uint8Array;
}

/** Creates and verifies the gateway's URLs of task files. */
export class TaskLinker {
  readonly #deps: TaskLinkerDeps;

  constructor(deps: TaskLinkerDeps) {
    this.#deps = deps;
  }

  /** `base`: the gateway's URL for this client, without a trailing slash. */
  addressOf(
    { id, userId }: Task,
    base: string,
    { hasOpenLinks }: Pick<InboundVideoFormat, "hasOpenLinks">,
  ): TaskAddress {
    const video = `${base}/v1/videos/${id}`;
    return {
      filesUrl: `${base}/v1beta/files`,
      linkTo: (index, variant) => {
        const query = queryOf(index, variant);
        if (hasOpenLinks !== true) return withQuery(`${video}/content`, query);
        query.set("user", String(userId));
        query.set("expires", String(this.#deps.clock.now() + LINK_MS));
        query.set("signature", this.#sign(id, query));
        return withQuery(`${video}/file`, query);
      },
    };
  }

  /**
   * The owner of the task in a signed URL; undefined if the signature is invalid or has expired.
   */
  userOf(id: string, query: URLSearchParams): number | undefined {
    const signed = new URLSearchParams(query);
    const shown = Buffer.from(signed.get("signature") ?? "");
    signed.delete("signature");
    const expected = Buffer.from(this.#sign(id, signed));
    const isOurs = shown.length === expected.length && timingSafeEqual(shown, expected);
    if (!isOurs || Number(signed.get("expires")) <= this.#deps.clock.now()) return undefined;
    return Number(signed.get("user"));
  }

  #sign(id: string, query: URLSearchParams): string {
    const said = new URLSearchParams(query);
    said.sort();
    return createHmac("sha256", this.#deps.key)
      .update(`${id}\n${said.toString()}`)
      .digest("base64url");
  }
}

function queryOf(index: number, variant: Variant | undefined): URLSearchParams {
  const query = new URLSearchParams();
  if (index > 0) query.set("index", String(index));
  if (variant !== undefined) query.set("variant", variant);
  return query;
}

function withQuery(url: string, query: URLSearchParams): string {
  return query.size === 0 ? url : `${url}?${query.toString()}`;
}
