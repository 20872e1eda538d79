import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { hostOf, portOf, refused } from "./guard.ts";

interface PinnedSocketOptions {
  /** Called again for the connected address. */
  readonly isAllowed: (address: string) => boolean;
  /** Certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca: string | undefined;
  /** Destroys the socket at any time. */
  readonly signal: AbortSignal;
}

/**
 * Connects only to one of the given addresses, even if the URL's name now
 * resolves to others. The certificate must be valid for the name.
 */
export async function openPinnedSocket(
  url: URL,
  addresses: readonly string[],
  { isAllowed, ca, signal }: PinnedSocketOptions,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({
    // If a runtime ignored `lookup`, this name would fail to resolve.
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
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect.
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
    ...(ca !== undefined && { ca }),
  });
  await opened(secure, "secureConnect");
  return secure;
}

/** The error listener stays, because an unhandled error event ends the process. */
function opened(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.on("error", reject);
    socket.once("close", () => reject(new Error(`closed before ${event}`)));
  });
}
