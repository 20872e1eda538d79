import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** Values in the address: reload, back and shared links keep them. An empty text removes one. */
export function useQueryState(): readonly [
  params: URLSearchParams,
  set: (changes: Readonly<Record<string, string | undefined>>) => void,
] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (changes: Readonly<Record<string, string | undefined>>) => {
      setParams((before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined || value === "") next.delete(name);
          else next.set(name, value);
        }
        return next;
      });
    },
    [setParams],
  );
  return [params, set];
}
