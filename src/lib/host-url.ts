/** The address of a server; IPv6 hosts stand in brackets in it. */
export function hostUrl(host: string, port: number): string {
  const written = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `http://${written}:${port}`;
}
