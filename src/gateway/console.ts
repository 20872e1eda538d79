import { ConsolePages } from "#http/console-pages.ts";
import type { Infrastructure } from "./infrastructure.ts";

/** The console, unless it is turned off or was not built. An executable contains it. */
export async function openConsole({
  settings,
  log,
}: Pick<Infrastructure, "settings" | "log">): Promise<ConsolePages | undefined> {
  if (settings.console === "off") return undefined;
  try {
    const { default: path } = await import("../../console/dist/console.pack", {
      with: { type: "file" },
    });
    return new ConsolePages(path);
  } catch (cause) {
    log.info({ err: cause }, "the console is not built: `npm start` builds it");
    return undefined;
  }
}
