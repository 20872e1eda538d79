import { jsonReply, type Reply } from "../wire/reply.ts";

/** Thrown if the vendor refuses a request. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(status: number, detail: string) {
    super(detail);
    this.reply = jsonReply(status, { detail });
  }
}

export function invalid(detail: string): Refusal {
  return new Refusal(422, detail);
}
