/** The URL of a server, with brackets around an IPv6 host. */
export function hostUrl(host: string, port: number): string {
  const written = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `http://${written}:${port}`;
}
