/** A YAML response with its request id; caches must not store it. */
export function yaml(text: string, requestId: string): Response {
  const headers = {
    "content-type": "application/yaml",
    "cache-control": "no-store",
    "x-request-id": requestId,
    "request-id": requestId,
  };
  return new Response(text, { headers });
}
