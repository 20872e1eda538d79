import type { GatewayFacts } from "#core/alert.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import type { Job } from "./scheduler.ts";

interface Deps {
  /** The https servers to check. */
  urls(): readonly URL[];
  /** Undefined if the server cannot be reached. */
  endOf(url: URL): Promise<number | undefined>;
  onFound(certificates: GatewayFacts["certificates"]): void;
}

const FIRST_MS = 60_000;
const AGAIN_MS = 6 * 3_600_000;
const AT_ONCE = 4;

/** Reads when certificates end. A server that does not answer is left out. */
export function checkCertificates({ urls, endOf, onFound }: Deps): Job {
  let runs = 0;
  return {
    name: "check-certificates",
    get everyMs() {
      return runs <= 1 ? FIRST_MS : AGAIN_MS;
    },
    async run(signal) {
      runs++;
      // The start has other work.
      if (runs === 1) return;
      const byHost = new Map(urls().map((url) => [url.host, url]));
      const found = await mapAtMost([...byHost], AT_ONCE, async ([host, url]) => {
        const endsAt = signal.aborted ? undefined : await endOf(url);
        return endsAt === undefined ? [] : [{ host, endsAt }];
      });
      onFound(found.flat());
    },
  };
}
