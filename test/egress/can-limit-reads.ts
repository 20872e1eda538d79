import { limitReceiveBuffer } from "#lib/receive-buffer.ts";

/** Old kernels and other systems cannot limit what they receive ahead. */
export const CAN_LIMIT_READS: boolean = await probe();

async function probe(): Promise<boolean> {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  const { port } = server;
  const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => {} } });
  try {
    return limitReceiveBuffer((socket as { readonly fd?: number }).fd);
  } finally {
    socket.terminate();
    server.stop(true);
  }
}
