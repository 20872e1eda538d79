import { useEffect, useState } from "react";
import type { Call } from "./call.ts";

interface LiveCalls {
  readonly calls: readonly Call[];
  /** Calls that the gateway left out because this page read too slowly. */
  readonly dropped: number;
  readonly isConnected: boolean;
}

const EMPTY: LiveCalls = { calls: [], dropped: 0, isConnected: true };
const MAX_CALLS = 2_000;
/** Calls that arrive together are drawn together. */
const DRAW_MS = 100;

/** Calls as they end, latest first. `url` is undefined while the live view is off. */
export function useLiveCalls(url: string | undefined): LiveCalls {
  const [live, setLive] = useState(EMPTY);
  useEffect(() => {
    setLive(EMPTY);
    if (url === undefined) return;
    const source = new EventSource(url);
    let waiting: Call[] = [];
    const draw = setInterval(() => {
      if (waiting.length === 0) return;
      const arrived = waiting.toReversed();
      waiting = [];
      setLive((before) => ({
        ...before,
        calls: [...arrived, ...before.calls].slice(0, MAX_CALLS),
      }));
    }, DRAW_MS);
    source.addEventListener(
      "call",
      ({ data }: MessageEvent<string>) => void waiting.push(JSON.parse(data) as Call),
    );
    source.addEventListener("dropped", ({ data }: MessageEvent<string>) => {
      const { count } = JSON.parse(data) as { readonly count: number };
      setLive((before) => ({ ...before, dropped: before.dropped + count }));
    });
    source.addEventListener("open", () => setLive((before) => ({ ...before, isConnected: true })));
    source.addEventListener("error", () =>
      setLive((before) => ({ ...before, isConnected: false })),
    );
    return () => {
      clearInterval(draw);
      source.close();
    };
  }, [url]);
  return live;
}
