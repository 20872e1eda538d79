import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { hostOf, portOf, refused } from "./guard.ts";

interface PinnedSocketOptions {
  /** Asked again about the address that was reached. */
  readonly isAllowed: (address: string) => boolean;
  /** Certificate authorities to trust instead of the well-known ones, in PEM. */
  readonly ca: string | undefined;
  /** Destroys the socket, whenever it comes. */
  readonly signal: AbortSignal;
}

/**
 * Connects to one of the addresses and to nothing else, whatever the name of
 * the URL resolves to by now. The certificate must still be the name's.
 */
export async function openPinnedSocket(
  url: URL,
  addresses: readonly string[],
  { isAllowed, ca, signal }: PinnedSocketOptions,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({
    // Should a runtime ignore `lookup`, this name fails instead of leading elsewhere.
    host: "pinned.invalid",
    port: portOf(url),
    lookup: (_host, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
    autoSelectFamily: true,
  });
  signal.addEventListener("abort", () => socket.destroy(), { once: true });
  await opened(socket, "connect");

  if (!isAllowed(socket.remoteAddress ?? "")) {
    socket.destroy();
    throw refused(`connected to ${socket.remoteAddress}`);
  }
  if (url.protocol === "http:") return socket;

  const host = hostOf(url);
  const secure = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : "",
    // Not even NODE_TLS_REJECT_UNAUTHORIZED=0 opens this.
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
    ...(ca !== undefined && { ca }),
  });
  await opened(secure, "secureConnect");
  return secure;
}

/** The error listener stays, since an error that nobody hears ends the process. */
function opened(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.on("error", reject);
    socket.once("close", () => reject(new Error(`closed before ${event}`)));
  });
}
