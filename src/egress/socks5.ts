import { isIP } from "node:net";
import type { Handshake, HandshakeStep, TunnelTarget } from "./tunnel.ts";

const VERSION = 5;
const LOGIN_VERSION = 1;
const METHODS = { none: 0, login: 2 } as const;
const CONNECT = 1;
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** Replies of a proxy that refuses, RFC 1928 section 6. */
const REFUSALS = [
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "time to live expired",
  "command not supported",
  "address type not supported",
];

/** User and password for the proxy. */
export interface SocksLogin {
  readonly user: string;
  readonly password: string;
}

/**
 * Asks a SOCKS5 proxy for a connection (RFC 1928), with a login if there is one (RFC 1929). Names
 * are resolved by the proxy.
 */
export function socks5(to: TunnelTarget, login: SocksLogin | undefined): Handshake {
  const methods = login === undefined ? [METHODS.none] : [METHODS.none, METHODS.login];
  let state: "method" | "login" | "connect" = "method";
  let got = Buffer.alloc(0);

  function onMethod(): HandshakeStep {
    if (got.length < 2) return MORE;
    const [version, method] = got;
    got = got.subarray(2);
    if (version !== VERSION) return refused("The proxy's response is not SOCKS5.");
    if (method === METHODS.login && login !== undefined) {
      state = "login";
      return { kind: "send", bytes: loginMessage(login) };
    }
    if (method !== METHODS.none) return refused("The proxy accepts none of the ways to log in.");
    state = "connect";
    return { kind: "send", bytes: connectMessage(to) };
  }

  function onLogin(): HandshakeStep {
    if (got.length < 2) return MORE;
    const [, status] = got;
    got = got.subarray(2);
    if (status !== 0) return refused("The proxy refuses the login.");
    state = "connect";
    return { kind: "send", bytes: connectMessage(to) };
  }

  function onConnect(): HandshakeStep {
    const [version, reply = 0] = got;
    if (version !== undefined && version !== VERSION) {
      return refused("The proxy's response is not SOCKS5.");
    }
    if (reply !== 0) return refused(`The proxy refused: ${REFUSALS[reply - 1] ?? "unknown"}.`);
    const length = replyLength(got);
    if (length === undefined || got.length < length) return MORE;
    // The target never sends first; extra bytes would be mistaken for the target's.
    return got.length > length ? refused("The proxy sent bytes after its response.") : THROUGH;
  }

  const steps = { method: onMethod, login: onLogin, connect: onConnect };
  return {
    greeting: Buffer.from([VERSION, methods.length, ...methods]),
    read(bytes) {
      got = Buffer.concat([got, bytes]);
      return steps[state]();
    },
  };
}

const MORE: HandshakeStep = { kind: "more" };
const THROUGH: HandshakeStep = { kind: "through" };

function refused(reason: string): HandshakeStep {
  return { kind: "refused", reason };
}

function loginMessage({ user, password }: SocksLogin): Buffer {
  const [name, word] = [Buffer.from(user), Buffer.from(password)];
  return Buffer.concat([
    Buffer.from([LOGIN_VERSION, name.length]),
    name,
    Buffer.from([word.length]),
    word,
  ]);
}

function connectMessage({ host, port }: TunnelTarget): Buffer {
  const to = Buffer.alloc(2);
  to.writeUInt16BE(port);
  return Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressBytes(host), to]);
}

function addressBytes(host: string): Buffer {
  const family = isIP(host);
  if (family === 4) return Buffer.from([ADDRESS.ipv4, ...host.split(".").map(Number)]);
  if (family === 6) return Buffer.from([ADDRESS.ipv6, ...ipv6Bytes(host)]);
  const name = Buffer.from(host);
  return Buffer.concat([Buffer.from([ADDRESS.name, name.length]), name]);
}

/** An address without a zone, which URLs cannot have. */
function ipv6Bytes(host: string): readonly number[] {
  const groups = (text: string): readonly number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [head = "", tail] = host.split("::");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

/** Undefined as long as the length is unknown. */
function replyLength(reply: Buffer): number | undefined {
  const [, , , kind, nameLength] = reply;
  if (kind === ADDRESS.ipv4) return 4 + 4 + 2;
  if (kind === ADDRESS.ipv6) return 4 + 16 + 2;
  return kind === ADDRESS.name && nameLength !== undefined ? 4 + 1 + nameLength + 2 : undefined;
}
