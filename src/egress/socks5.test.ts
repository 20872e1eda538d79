import { expect, test } from "bun:test";
import { socks5 } from "./socks5.ts";

const TO = { host: "api.vendor.example", port: 443 };
const LOGIN = { user: "me", password: "geheim" };
const CONNECT = [5, 1, 0, 3, 18, ...Buffer.from(TO.host), 0x01, 0xbb];
const bytes = (...all: readonly number[]): Buffer => Buffer.from(all);

test("a proxy without a login is asked for the name, which it resolves itself", () => {
  const handshake = socks5(TO, undefined);

  expect([...Buffer.from(handshake.greeting)]).toEqual([5, 1, 0]);
  expect(handshake.read(bytes(5))).toEqual({ kind: "more" });
  expect(handshake.read(bytes(0))).toEqual({ kind: "send", bytes: bytes(...CONNECT) });
  expect(handshake.read(bytes(5, 0, 0, 1, 127, 0, 0))).toEqual({ kind: "more" });
  expect(handshake.read(bytes(1, 0, 80))).toEqual({ kind: "through" });
});

test("a login is sent if the proxy wants one", () => {
  const handshake = socks5(TO, LOGIN);

  expect([...Buffer.from(handshake.greeting)]).toEqual([5, 2, 0, 2]);
  expect(handshake.read(bytes(5, 2))).toEqual({
    kind: "send",
    bytes: bytes(1, 2, ...Buffer.from("me"), 6, ...Buffer.from("geheim")),
  });
  expect(handshake.read(bytes(1, 0))).toEqual({ kind: "send", bytes: bytes(...CONNECT) });
  expect(handshake.read(bytes(5, 0, 0, 3, 1, 65, 0, 80))).toEqual({ kind: "through" });
});

test.each([
  ["203.0.113.7", [1, 203, 0, 113, 7]],
  ["2001:db8::7", [4, 0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), 7]],
  ["::1", [4, ...Array<number>(15).fill(0), 1]],
])("the address %s is sent as its bytes", (host, address) => {
  const handshake = socks5({ host, port: 80 }, undefined);

  const step = handshake.read(bytes(5, 0));

  expect(step).toEqual({ kind: "send", bytes: bytes(5, 1, 0, ...address, 0, 80) });
});

test.each([
  ["an answer of another protocol", [[72, 84]], "The proxy's response is not SOCKS5."],
  ["a proxy that takes no login that is known", [[5, 255]], "none of the ways to log in"],
  ["a login that was not offered", [[5, 2]], "none of the ways to log in"],
  [
    "a proxy that cannot reach the host",
    [
      [5, 0],
      [5, 4, 0, 1],
    ],
    "The proxy refused: host unreachable.",
  ],
  [
    "bytes behind the answer",
    [
      [5, 0],
      [5, 0, 0, 1, 1, 1, 1, 1, 0, 80, 9],
    ],
    "sent bytes after",
  ],
])("%s is a refusal", (_what, answers, reason) => {
  const handshake = socks5(TO, undefined);

  const steps = answers.map((each) => handshake.read(bytes(...each)));

  expect(steps.at(-1)).toEqual({ kind: "refused", reason: expect.stringContaining(reason) });
});

test("a refused login is a refusal", () => {
  const handshake = socks5(TO, LOGIN);
  handshake.read(bytes(5, 2));

  expect(handshake.read(bytes(1, 1))).toMatchObject({ reason: "The proxy refuses the login." });
});
