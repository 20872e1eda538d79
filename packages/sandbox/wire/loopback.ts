/** Whether an address is on this machine: nothing of a sandbox ever leaves it. */
export function isLoopback(address: string): boolean {
  const { protocol, hostname } = URL.parse(address) ?? { protocol: "", hostname: "" };
  return protocol === "http:" && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
