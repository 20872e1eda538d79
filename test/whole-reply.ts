import type { OnPiece, UpstreamReply } from "#egress/egress.ts";

export interface SaidWhole {
  /** Content type; none if undefined. */
  readonly type?: string;
  readonly text: string;
}

/** An upstream's reply whose whole body is here, read as a whole or as one piece. */
export function wholeReply({ text, type }: SaidWhole): UpstreamReply {
  const bytes = Buffer.from(text);
  return {
    status: 200,
    headers: new Map(type === undefined ? [] : [["content-type", type]]),
    readFailure: async () => text,
    readAll: async () => bytes,
    pump: async (onPiece: OnPiece) => {
      await onPiece(bytes);
    },
    close() {},
    [Symbol.dispose]() {},
  };
}
