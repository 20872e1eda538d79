import type { MediaStore } from "#core/kept-media.ts";

/** The part of a store below a prefix of its paths. */
export function below(prefix: string, store: MediaStore): MediaStore {
  const pathOf = (path: string): string => `${prefix}/${path}`;
  return {
    put: (path, bytes, mediaType) => store.put(pathOf(path), bytes, mediaType),
    open: (path, sizeBytes, span) => store.open(pathOf(path), sizeBytes, span),
    remove: (path) => store.remove(pathOf(path)),
  };
}
