import { rssBytes } from "./proc.ts";

const SAMPLE_EVERY_MS = 50;

/** Sampled, since the kernel's own high-water mark covers the whole life of a process. */
export function watchMemory(pids: readonly number[]): () => number {
  let peakBytes = 0;
  const look = (): void => void (peakBytes = Math.max(peakBytes, rssBytes(pids)));
  const timer = setInterval(look, SAMPLE_EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
    return peakBytes;
  };
}
