import { ConsolePages } from "#http/console-pages.ts";
import { DocPages } from "#http/doc-pages.ts";
import type { Pages } from "#http/server.ts";
import type { Infrastructure } from "./infrastructure.ts";

/**
 * The documentation and the console, unless they are turned off or were not built. An executable
 * contains both.
 */
export async function openPages({
  settings,
  log,
}: Pick<Infrastructure, "settings" | "log">): Promise<Pages | undefined> {
  if (settings.console === "off") return undefined;
  const open = async <T>(load: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await load();
    } catch (cause) {
      log.info({ err: cause }, "a part of the pages is not built: `npm start` builds it");
      return undefined;
    }
  };
  const docs = await open(async () => {
    const built = await import("../../site/dist/docs.pack", { with: { type: "file" } });
    return new DocPages(built.default);
  });
  const console = await open(async () => {
    const built = await import("../../console/dist/console.pack", { with: { type: "file" } });
    return new ConsolePages(built.default);
  });
  return {
    answer: (request, path) => docs?.answer(request, path) ?? console?.answer(request, path),
  };
}
