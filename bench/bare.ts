/**
 * The smallest proxy that the runtime can be: no authentication, no ledger, no
 * limits. What it costs is what the runtime alone costs. Its arguments are the
 * upstream's port and its own.
 */
const [upstreamPort, port] = process.argv.slice(2).map(Number);

Bun.serve({
  hostname: "127.0.0.1",
  port: port ?? 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const answer = await fetch(`http://127.0.0.1:${upstreamPort}${pathname}`, {
      method: request.method,
      headers: { "content-type": "application/json" },
      body: request.body === null ? null : await request.arrayBuffer(),
      signal: request.signal,
    });
    const type = answer.headers.get("content-type") ?? "application/octet-stream";
    return new Response(answer.body, { status: answer.status, headers: { "content-type": type } });
  },
});
