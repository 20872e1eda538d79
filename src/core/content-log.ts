import type { ApiKey } from "./key.ts";
import type { MediaPlace } from "./kept-media.ts";

/** Which calls leave their prompt and answer in the content log. */
export const CONTENT_LEVELS = ["off", "errors", "all"] as const;
export type ContentLevel = (typeof CONTENT_LEVELS)[number];

/** Texts that the content log can leave out without a pattern of the operator. */
export const REDACTION_KINDS = ["email", "phone", "card", "key"] as const;
export type RedactionKind = (typeof REDACTION_KINDS)[number];

/** The key's own level, or its group's, or the gateway's. */
export function contentLevelFor(
  { contentLog, group }: Pick<ApiKey, "contentLog" | "group">,
  usual: ContentLevel,
): ContentLevel {
  return contentLog ?? group?.contentLog ?? usual;
}

/** Where the content of a call is stored. The content itself is never in the database. */
export interface StoredContent {
  readonly callId: string;
  readonly place: MediaPlace;
  /** As stored. */
  readonly sizeBytes: number;
  /** Unix ms. */
  readonly at: number;
}

/** The index of stored contents, one row for each call. */
export interface ContentIndex {
  add(contents: readonly StoredContent[]): Promise<void>;
  find(callId: string): Promise<StoredContent | undefined>;
  /** At most `limit` contents that were stored before `before` (Unix ms), the oldest first. */
  listBefore(before: number, limit: number): Promise<readonly StoredContent[]>;
  /** Size of all contents. */
  totalBytes(): Promise<number>;
  forget(callIds: readonly string[]): Promise<void>;
}

/** The request and the answer of a call, after redaction. */
export interface CallContent {
  readonly request: ContentText;
  /** Null if the client left before it. */
  readonly answer: ContentText | null;
  /** The state of a video task at its end. */
  readonly result?: ContentText;
  /** Of a running task: kept at its end only if it failed. */
  readonly isProvisional?: true;
}

export interface ContentText {
  readonly text: string;
  /** Size before redaction. */
  readonly sizeBytes: number;
  readonly isTruncated: boolean;
}
