import type { Handshake, HandshakeStep, TunnelTarget } from "./tunnel.ts";

const MAX_HEAD_CHARS = 16 * 1024;
const END_OF_HEAD = "\r\n\r\n";
const SUCCESS = /^HTTP\/1\.[01] 2\d\d\b/;
const STATUS = /^HTTP\/1\.[01] (\d{3})\b/;

/** Asks an HTTP proxy for a tunnel (CONNECT, RFC 9110 section 9.3.6). */
export function httpConnect(
  { host, port }: TunnelTarget,
  authorization: string | undefined,
): Handshake {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const login = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
  let head = "";
  return {
    greeting: `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`,
    read(bytes): HandshakeStep {
      head += bytes.toString("latin1");
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0 && head.length <= MAX_HEAD_CHARS) return { kind: "more" };
      const reason = refusalReason(head, end);
      return reason === undefined ? { kind: "through" } : { kind: "refused", reason };
    },
  };
}

function refusalReason(head: string, end: number): string | undefined {
  if (end < 0) return "The proxy's response is too long.";
  if (!SUCCESS.test(head)) {
    const [, status] = STATUS.exec(head) ?? [];
    return status === undefined
      ? "The proxy's response is not HTTP."
      : `The proxy returned status ${status}.`;
  }
  // The target never sends first; extra bytes would be mistaken for the target's.
  return head.length > end + END_OF_HEAD.length
    ? "The proxy sent bytes after its response."
    : undefined;
}
