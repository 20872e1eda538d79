import { GatewayError } from "#core/error.ts";

const MAX_LENGTH = 16 * 1_024 * 1_024;

/** Text that is of use only once it is whole. */
export class HeldText {
  text = "";

  add(piece: string): void {
    this.text += piece;
    if (this.text.length > MAX_LENGTH) {
      throw new GatewayError("upstream_failed", "A block of the upstream's answer is too long.");
    }
  }
}
