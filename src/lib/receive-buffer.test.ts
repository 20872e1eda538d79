import { describe, expect, test } from "bun:test";
import { createServer, type AddressInfo } from "node:net";
import { CAN_LIMIT_READS } from "#test/egress/can-limit-reads.ts";
import { limitReceiveBuffer, unlimitReceiveBuffer } from "./receive-buffer.ts";

const KIB = 1024;
const SENT_BYTES = 48 * KIB * KIB;
/** 128,000 bytes on Linux 6.18; the runtime reads 512 KiB without a limit. */
const SMALL_BYTES = 192 * KIB;

type Prepare = (fd: number | undefined) => void;

/** The largest read of a consumer that is slower than its sender. */
async function largestRead(prepare: Prepare): Promise<number> {
  const server = createServer((sender) => {
    sender.on("error", () => {});
    sender.once("data", () => sender.end(Buffer.alloc(SENT_BYTES)));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let receivedBytes = 0;
  let largest = 0;
  await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open(socket) {
        prepare((socket as { readonly fd?: number }).fd);
        socket.write("go");
      },
      data(socket, bytes) {
        receivedBytes += bytes.length;
        largest = Math.max(largest, bytes.length);
        socket.pause();
        setTimeout(() => socket.resume(), 1);
      },
      close: () =>
        receivedBytes === SENT_BYTES ? resolve(largest) : reject(new Error("Bytes are missing.")),
    },
  });
  try {
    return await promise;
  } finally {
    server.close();
  }
}

describe.if(CAN_LIMIT_READS)("a limited connection", () => {
  test("is read in small parts, and nothing is lost", async () => {
    expect(await largestRead(limitReceiveBuffer)).toBeLessThanOrEqual(SMALL_BYTES);
  });

  test("is read in large parts again without the limit", async () => {
    const undone: Prepare = (fd) => {
      expect(limitReceiveBuffer(fd)).toBe(true);
      unlimitReceiveBuffer(fd);
    };

    expect(await largestRead(undone)).toBeGreaterThan(SMALL_BYTES);
  });
});

test("a connection that is closed, or has no descriptor, is left alone", () => {
  expect([limitReceiveBuffer(undefined), limitReceiveBuffer(-1)]).toEqual([false, false]);
  expect(() => unlimitReceiveBuffer(undefined)).not.toThrow();
  expect(() => unlimitReceiveBuffer(-1)).not.toThrow();
});
