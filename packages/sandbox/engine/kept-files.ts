/** Files that were given to a vendor: the oldest give way where there is no more room. */
interface KeptFiles {
  keep(name: string, bytes: Uint8Array): void;
  find(name: string): Uint8Array | undefined;
  remove(name: string): void;
}

export function keptFiles(maxBytes: number): KeptFiles {
  const files = new Map<string, Uint8Array>();
  let sizeBytes = 0;

  function remove(name: string): void {
    sizeBytes -= files.get(name)?.length ?? 0;
    files.delete(name);
  }

  return {
    keep(name, bytes) {
      remove(name);
      files.set(name, bytes);
      sizeBytes += bytes.length;
      for (const oldest of files.keys()) {
        if (sizeBytes <= maxBytes) break;
        remove(oldest);
      }
    },
    find: (name) => files.get(name),
    remove,
  };
}
