import { isIP } from "node:net";
import { connect } from "node:tls";
import type { Reach } from "#core/channel.ts";
import { hostOf, portOf } from "./guard.ts";
import { isWithinReach } from "./reach.ts";
import { resolveAsSystem } from "./resolve-host.ts";

const TIMEOUT_MS = 5_000;

/**
 * Unix ms at which the certificate of an https server ends; undefined if the server cannot be
 * reached. Nothing is sent there, so an invalid certificate is read too.
 */
export async function certificateEnd(url: URL, reach: Reach): Promise<number | undefined> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolveAsSystem(host).catch(() => []) : [host];
  const [address] = addresses.filter((each) => isWithinReach(each, reach));
  if (address === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const socket = connect({
    host: address,
    port: portOf(url),
    servername: isIP(host) === 0 ? host : "",
    rejectUnauthorized: false,
  });
  const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
  socket.once("secureConnect", () => {
    const end = Date.parse(socket.getPeerCertificate().valid_to);
    resolve(Number.isFinite(end) ? end : undefined);
  });
  socket.on("error", () => resolve(undefined));
  socket.once("close", () => resolve(undefined));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
