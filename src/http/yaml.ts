/** An answer that is YAML, with the id by which its request can be asked about; for no cache to keep. */
export function yaml(text: string, requestId: string): Response {
  const headers = {
    "content-type": "application/yaml",
    "cache-control": "no-store",
    "x-request-id": requestId,
    "request-id": requestId,
  };
  return new Response(text, { headers });
}
