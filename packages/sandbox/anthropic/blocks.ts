import type { Media } from "../engine/media.ts";
import type { JsonObject } from "../json.ts";
import type { CacheTtl } from "./cache-control.ts";

/** A part of a message, as far as the simulator understands it. */
export type Block = BlockPlace & BlockContent;

interface BlockPlace {
  /** `messages.1.content.0` */
  readonly path: string;
  /** As it was sent; this form is counted and cached. */
  readonly raw: JsonObject;
  readonly cache: CacheTtl | undefined;
}

export type BlockContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly media: Media }
  | { readonly kind: "document"; readonly document: Document }
  | { readonly kind: "search_result"; readonly document: Document }
  | { readonly kind: "thinking" | "redacted_thinking"; readonly seal: Seal }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
    }
  | ResultContent
  | { readonly kind: "server_call"; readonly id: string; readonly name: string }
  | { readonly kind: "server_result"; readonly id: string; readonly type: string }
  | { readonly kind: "upload"; readonly fileId: string };

/** The result of a tool. */
export interface ResultContent {
  readonly kind: "result";
  readonly id: string;
  readonly text: string;
  readonly media: readonly Media[];
}

/** A thought that came back: the model it is checked against is only known later. */
interface Seal {
  readonly token: string;
  readonly shown: string;
}

/** A file or a search result of the caller, which an answer may quote. */
export interface Document {
  readonly media: Media;
  readonly title: string | null;
  readonly isCited: boolean;
  readonly content: DocumentContent;
}

export type DocumentContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "blocks"; readonly texts: readonly string[] }
  | { readonly kind: "search_result"; readonly source: string; readonly texts: readonly string[] }
  /** Pages, links and stored files, which the sandbox cannot look into. */
  | { readonly kind: "opaque" };
