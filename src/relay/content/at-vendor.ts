import { GatewayError, type FaultCode } from "#core/error.ts";
import type { Task } from "#core/task.ts";
import { redirectOf, type LinkedFiles, type OpenedFile } from "#egress/linked-files.ts";
import { formatByteRange } from "#lib/byte-range.ts";
import { pull } from "#lib/pull.ts";
import { defined } from "#lib/values.ts";
import { requestAt, upstreamTaskContextOf, type UpstreamTaskContext } from "../tasks/poll.ts";
import { addressOf } from "../failover/upstream-terms.ts";
import type { Content, ContentRequest } from "./content.ts";
import { HeldContent } from "./held-content.ts";
import { readFile } from "./read-file.ts";
import { Renewals, type RenewalDeps } from "./renewals.ts";
import { linkOf, notFound } from "./variants.ts";

export interface VendorDeps extends RenewalDeps {
  readonly files: LinkedFiles;
  readonly limits: {
    /** Maximum size of one file. */
    readonly mediaBytes: number;
  };
}

const MAX_REDIRECTS = 3;
/** Maximum time until a file server sends its response head. */
const HEAD_MS = 30_000;
/** Status codes of expired signed URLs. */
const GONE = [403, 404, 410];
/** Status codes of servers that lack this endpoint. */
const NOT_THERE = [404, 405, 410, 501];

/** Files of finished tasks, at their vendors. */
export class VendorContent {
  readonly #deps: VendorDeps;
  readonly #renewals: Renewals;
  readonly #held: HeldContent;

  constructor(deps: VendorDeps) {
    this.#deps = deps;
    this.#renewals = new Renewals(deps);
    this.#held = new HeldContent(deps);
  }

  /** Throws `content_gone` if the file no longer exists. */
  async open(task: Task, contentRequest: ContentRequest): Promise<Content> {
    let issue: unknown;
    const renew = (): Promise<Task> =>
      this.#renewals.renewed(task).catch((cause: unknown) => {
        issue = cause;
        return task;
      });
    const hasEnded = (task.linksEndAt ?? Infinity) <= this.#deps.clock.now();
    const known = hasEnded ? await renew() : task;
    const opened = await this.#open(known, contentRequest);
    if (opened !== undefined) return opened;

    const fresh = hasEnded ? known : await renew();
    if (linkOf(fresh, contentRequest) !== linkOf(known, contentRequest)) {
      const again = await this.#open(fresh, contentRequest);
      if (again !== undefined) return again;
    }
    throw issue ?? gone();
  }

  /** Undefined if the file no longer exists. */
  async #open(task: Task, contentRequest: ContentRequest): Promise<Content | undefined> {
    const context = this.#standingOf(task);
    const link = linkOf(task, contentRequest);
    const path = context === undefined ? undefined : contentPath(context, contentRequest);
    if (context !== undefined && path !== undefined) {
      const url = addressOf(context) + path;
      const content = await this.#follow(url, context, contentRequest, NOT_THERE, true);
      if (content !== undefined || link === "") return content;
    }
    if (link === undefined) throw notFound(`This video has no ${contentRequest.variant}.`);
    if (link === "") return await this.#held.openAnswer(context, contentRequest);
    if (/^data:/i.test(link)) return await this.#held.openData(link, contentRequest);
    return await this.#follow(
      link,
      context,
      contentRequest,
      GONE,
      context?.endpoint.linksNeedKey === true,
    );
  }

  /** Public links stay usable after their channel was removed. */
  #standingOf(task: Task): UpstreamTaskContext | undefined {
    try {
      return upstreamTaskContextOf(task, this.#deps);
    } catch {
      return undefined;
    }
  }

  /** Follows redirects one by one: the credential is sent to the channel's own address only. */
  async #follow(
    link: string,
    context: UpstreamTaskContext | undefined,
    contentRequest: ContentRequest,
    missing: readonly number[],
    isKeyed: boolean,
  ): Promise<Content | undefined> {
    const own = context === undefined ? null : URL.parse(addressOf(context));
    const giver =
      own === null ? undefined : { url: own, ...defined({ reach: context?.channel.reach }) };
    let to = link;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const isAsked = isKeyed && own !== null && URL.parse(to)?.origin === own.origin;
      const file =
        isAsked && context !== undefined
          ? await this.#ask(new URL(to), context, contentRequest)
          : await this.#deps.files.open(to, {
              headers: rangeFields(contentRequest),
              giver,
              maxRedirects: MAX_REDIRECTS - hop,
              signal: contentRequest.signal,
            });
      const next = redirectOf(file, to);
      if (next === undefined) return await this.#read(file, contentRequest, missing);
      file.close();
      to = next;
    }
    throw new GatewayError("upstream_failed", "The upstream redirects too often.");
  }

  async #ask(
    url: URL,
    context: UpstreamTaskContext,
    contentRequest: ContentRequest,
  ): Promise<OpenedFile> {
    const reply = await requestAt(
      url,
      context,
      {
        method: "GET",
        headers: rangeFields(contentRequest),
        isStream: true,
        isFile: true,
        headMs: HEAD_MS,
        signal: contentRequest.signal,
      },
      this.#deps,
    );
    const { status, headers } = reply;
    const body = pull<Uint8Array>((take) => reply.pump(take));
    return { status, headers, body, close: () => reply.close() };
  }

  async #read(
    file: OpenedFile,
    contentRequest: ContentRequest,
    missing: readonly number[],
  ): Promise<Content | undefined> {
    const { status } = file;
    if ([200, 206, 416].includes(status)) {
      return await readFile(file, contentRequest, this.#deps.limits.mediaBytes);
    }
    file.close();
    if (missing.includes(status)) return undefined;
    throw new GatewayError(
      REFUSALS.get(status) ?? "upstream_failed",
      `The upstream answered with status ${status} when it was asked for the file.`,
    );
  }
}

const REFUSALS: ReadonlyMap<number, FaultCode> = new Map([
  [401, "upstream_auth"],
  [403, "upstream_auth"],
  [429, "upstream_rate_limited"],
  [503, "upstream_overloaded"],
]);

function contentPath(
  { endpoint, ref }: UpstreamTaskContext,
  { index, variant }: ContentRequest,
): string | undefined {
  if (index > 0 || variant === "last_frame" || variant === "watermarked") return undefined;
  return endpoint.content?.(ref, variant);
}

function rangeFields({ range, ifRange }: ContentRequest): Record<string, string> {
  if (range === undefined) return {};
  return {
    range: formatByteRange(range),
    ...(ifRange === undefined ? {} : { "if-range": ifRange }),
  };
}

function gone(): GatewayError {
  return new GatewayError(
    "content_gone",
    "This file no longer exists: its vendor stores results for a limited time.",
  );
}
