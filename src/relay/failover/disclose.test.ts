import { describe, expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import { Pieces } from "#lib/pieces.ts";
import { disclose, sentIn } from "./disclose.ts";

const SECRET = "sk-live-1234567890";
const OWN = {
  credential: credential(SECRET),
  url: new URL("https://internal.test/v1"),
  hidesAddress: true,
} as const;
const never = (): boolean => false;

describe("an error for the client", () => {
  test("of the gateway itself shows neither the credential nor the channel's address", () => {
    const error = new GatewayError("upstream_failed", `No answer of internal.test to ${SECRET}.`);

    const shown = disclose(error, OWN, never);

    expect(shown).toBe(error);
    expect(shown.message).toBe("No answer of [host] to [key].");
  });

  test("of the vendor keeps all facts, without the credential in any of them", () => {
    const cause = new Error("cause");
    const error = new GatewayError("upstream_rejected", `Bad ${SECRET}`, {
      cause,
      param: `param ${SECRET}`,
      details: { at: `details ${SECRET}` },
      retryAfterMs: 5,
      mayRetry: false,
      vendor: {
        status: 400,
        code: `code ${SECRET}`,
        type: `type ${SECRET}`,
        reason: `r ${SECRET}`,
      },
    });
    error.upstream = { channel: "one", credential: "...7890", model: "m", status: 400 };

    const shown = disclose(error, OWN, never);

    expect(shown).toMatchObject({
      code: "upstream_rejected",
      message: "Bad [key]",
      cause,
      param: "param [key]",
      details: { at: "details [key]" },
      retryAfterMs: 5,
      mayRetry: false,
      vendor: { status: 400, code: "code [key]", type: "type [key]", reason: "r [key]" },
    });
    expect(shown.upstream).toBe(error.upstream);
  });

  test("of the vendor without more than a status has no more", () => {
    const error = new GatewayError("upstream_rejected", "Bad.", { vendor: { status: 400 } });

    const shown = disclose(error, OWN, never);

    expect(shown.vendor).toEqual({ status: 400 });
    expect([shown.param, shown.details, shown.retryAfterMs, shown.mayRetry]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("the vendor's words", () => {
  const foreign = "sk-foreign-1234567890";
  const said = `The key ${foreign} is wrong.`;
  const vendor = { status: 401, said, reason: "reason" };

  test("lose other keys, for the client and for the operator", () => {
    const error = new GatewayError("upstream_rejected", "reason", { vendor });

    const shown = disclose(error, OWN, never);

    expect(shown.message).toBe("The key [key] is wrong.");
    expect(shown.vendor?.reason).toBe("The key [key] is wrong.");
  });

  test("keep the text that the client has sent, but only for the client", () => {
    const error = new GatewayError("upstream_rejected", "reason", { vendor });

    const shown = disclose(error, OWN, (piece) => piece === foreign);

    expect(shown.message).toBe(said);
    expect(shown.vendor?.reason).toBe("The key [key] is wrong.");
  });

  test("are not shown if the gateway has better ones", () => {
    const error = new GatewayError("upstream_rejected", "Better.", { vendor });

    expect(disclose(error, OWN, never).message).toBe("Better.");
  });
});

describe("a part of a message is the client's own if the request contains it", () => {
  test("as a text, as bytes, or in pieces of both", () => {
    const bytes = Buffer.from("hello sk-client");
    const pieces = new Pieces(["no", bytes]);

    for (const body of ["hello sk-client", bytes, pieces]) {
      expect(sentIn(body)("sk-client")).toBe(true);
      expect(sentIn(body)("sk-other")).toBe(false);
    }
    expect(sentIn(undefined)("sk-client")).toBe(false);
  });

  test("but not if the request is larger than 16 MiB", () => {
    const limit = 16 * 1024 * 1024;
    const piecesOf = (sizeBytes: number) => new Pieces(["sk-client", " ".repeat(sizeBytes - 9)]);

    expect(sentIn(piecesOf(limit))("sk-client")).toBe(true);
    expect(sentIn(piecesOf(limit + 1))("sk-client")).toBe(false);
    expect(sentIn("sk-client".padEnd(limit + 1))("sk-client")).toBe(false);
  });

  test("of at most twenty parts of one message", () => {
    const isSent = sentIn("sk-client");

    const found = Array.from({ length: 21 }, () => isSent("sk-client"));

    expect(found.lastIndexOf(true)).toBe(19);
  });
});
