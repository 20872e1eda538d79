import { connect, createServer, type Socket } from "node:net";

/** A way to a server that can be cut: what is open breaks off, and nothing new gets through. */
interface Cutter extends AsyncDisposable {
  /** The same URL, by way of here. */
  through(url: string): string;
  cut(): void;
  mend(): void;
  /** From now on it leads to another server. */
  redirect(serverUrl: string): void;
}

export async function openCutter(serverUrl: string): Promise<Cutter> {
  let server = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const relay = createServer((inbound) => {
    if (isCut) {
      inbound.destroy();
      return;
    }
    const outbound = connect(Number(server.port || 5432), server.hostname);
    for (const [socket, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = relay.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    through(url) {
      const changed = new URL(url);
      changed.hostname = "127.0.0.1";
      changed.port = String(port);
      return changed.href;
    },
    cut() {
      isCut = true;
      breakAll();
    },
    mend() {
      isCut = false;
    },
    redirect(url) {
      server = new URL(url);
      breakAll();
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}
