import { GatewayError } from "#core/error.ts";
import { base64Of } from "#core/image.ts";
import { Base64Bytes } from "#lib/base64-bytes.ts";
import type { Span } from "#lib/byte-range.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { fetchPollBody, type PollDeps, type UpstreamTaskContext } from "../tasks/poll.ts";
import { answerWith, type Content, type ContentRequest } from "./content.ts";
import { fileType } from "./file-type.ts";

interface HeldDeps extends PollDeps {
  readonly limits: { readonly mediaBytes: number };
}

const AT_ONCE = 4;
const WAITING = 64;
/** Enough bytes to detect a file type; a shorter file has fewer. */
const HEAD = 64;

/**
 * Files within a JSON response. They are in memory while they are sent, so few are open at once.
 */
export class HeldContent {
  readonly #deps: HeldDeps;
  readonly #places = new Semaphore(AT_ONCE, WAITING);

  constructor(deps: HeldDeps) {
    this.#deps = deps;
  }

  /** The vendor has no link: its polling response contains the bytes. */
  async openAnswer(
    context: UpstreamTaskContext | undefined,
    contentRequest: ContentRequest,
  ): Promise<Content | undefined> {
    const { parseContent } = context?.endpoint.style.outbound ?? {};
    if (context === undefined || parseContent === undefined) return undefined;
    return await this.#holding(async (close) => {
      const body = await fetchPollBody(context, this.#deps, contentRequest.signal);
      const found = body && parseContent(body, contentRequest.index);
      return (
        found && this.#bytesOf(base64Of(found).toString(), found.mediaType, contentRequest, close)
      );
    });
  }

  async openData(link: string, contentRequest: ContentRequest): Promise<Content> {
    const comma = link.indexOf(",");
    const head = link.slice("data:".length, Math.max(0, comma));
    if (!/;base64$/i.test(head)) {
      throw new GatewayError("upstream_failed", "The upstream's link has no file.");
    }
    return await this.#holding(async (close) =>
      this.#bytesOf(link.slice(comma + 1), head.split(";", 1)[0], contentRequest, close),
    );
  }

  #bytesOf(
    base64: string,
    said: string | undefined,
    contentRequest: ContentRequest,
    close: () => void,
  ): Content {
    const bytes = new Base64Bytes(base64);
    const { sizeBytes } = bytes;
    if (sizeBytes > this.#deps.limits.mediaBytes) {
      throw new GatewayError("upstream_failed", "The file exceeds `limits.media_bytes`.");
    }
    const [head] = bytes.pieces({ start: 0, end: HEAD });
    const mediaType = fileType(said, contentRequest.variant, head);
    const { head: answer, bytes: wanted } = answerWith({ sizeBytes, mediaType }, contentRequest);
    return { ...answer, body: piecesOf(bytes, wanted), close };
  }

  async #holding<T extends Content | undefined>(open: (close: () => void) => Promise<T>) {
    const place = await this.#places.enter();
    if (place === undefined) {
      throw new GatewayError("overloaded", "Too many concurrent file downloads. Retry later.", {
        retryAfterMs: 1_000,
      });
    }
    let isHeld = true;
    const close = (): void => {
      if (isHeld) place[Symbol.dispose]();
      isHeld = false;
    };
    try {
      const opened = await open(close);
      if (opened === undefined) close();
      return opened;
    } catch (cause) {
      close();
      throw cause;
    }
  }
}

async function* piecesOf(bytes: Base64Bytes, span: Span): AsyncGenerator<Uint8Array> {
  yield* bytes.pieces(span);
}
