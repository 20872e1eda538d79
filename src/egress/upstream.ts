import { GatewayError } from "#core/error.ts";
import type { ResponseHead } from "#lib/http1.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { Connections } from "./connections.ts";
import type { Egress, UpstreamLimits, UpstreamRequest } from "./egress.ts";
import { Exchange } from "./exchange.ts";

/**
 * The only way to an upstream: every phase has a deadline, every body a cap,
 * redirects are not followed (they would carry the credential to another
 * host), and the credential is opened here, for this one request.
 */
export function openEgress(limits: UpstreamLimits, deadlines = new Deadlines()): Egress {
  const connections = new Connections(deadlines);
  const open = new Set<Exchange>();
  return {
    async send(request) {
      const exchange = new Exchange(limits, deadlines, request, open);
      try {
        await exchange.begin(connections, requestText(request));
        refuseDetours(exchange);
        return exchange;
      } catch (cause) {
        exchange.close();
        throw GatewayError.from(cause);
      }
    },
    abortAll(reason) {
      for (const exchange of open) exchange.abort(reason);
    },
    close: () => connections.close(),
  };
}

function requestText(request: UpstreamRequest): string {
  const { url, method, body, credential, isStream } = request;
  const headers: Record<string, string> = {
    host: url.host,
    "user-agent": "sluice",
    accept: isStream ? "text/event-stream" : "application/json",
    "accept-encoding": "identity",
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
    ...request.headers,
    ...(credential === undefined ? {} : request.authorize(credential.open())),
  };
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`;
  for (const name in headers) head += `${name}: ${fieldValue(headers[name] ?? "")}\r\n`;
  return `${head}\r\n${body ?? ""}`;
}

/** A line break in a credential would begin a header of its own. */
function fieldValue(value: string): string {
  if (/[\r\n\0]/.test(value)) {
    throw new GatewayError(
      "upstream_auth",
      "The gateway's credential for this upstream is malformed.",
    );
  }
  return value;
}

function refuseDetours({ status, headers }: ResponseHead): void {
  if (status >= 300 && status < 400) {
    throw new GatewayError("upstream_failed", "The upstream answered with a redirect.");
  }
  const coding = headers.get("content-encoding");
  if (coding !== undefined && coding.toLowerCase() !== "identity") {
    throw new GatewayError("upstream_failed", "The upstream compressed its answer unasked.");
  }
}
