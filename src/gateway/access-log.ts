import { RotatingFile } from "#lib/rotating-file.ts";
import { AccessLog } from "#relay/access-log.ts";
import type { Infrastructure } from "./infrastructure.ts";
import type { Relay } from "./relay.ts";

/** Opens the access log, if one is configured. Its last lines are written after the last call. */
export async function openAccessLog(
  {
    settings,
    problems,
    observers,
  }: Pick<Infrastructure, "settings" | "problems"> & Pick<Relay, "observers">,
  opened: AsyncDisposableStack,
): Promise<void> {
  const { accessLog: place, accessLogBytes: maxBytes, accessLogFiles: keep } = settings;
  if (place === "off") return;
  const file =
    place === "stdout" ? undefined : opened.use(await openFile(place, { maxBytes, keep }));
  const log = new AccessLog({
    write: (lines) => (file === undefined ? writeToStandardOutput(lines) : file.write(lines)),
    onError: (cause) => problems.error("access log", cause, "access log write failed: lines lost"),
    onDropped: (count) =>
      problems.write(
        "warn",
        "access log",
        { dropped: count },
        "access log too slow: lines dropped",
      ),
  });
  opened.use(log);
  observers.add(log);
}

async function openFile(
  path: string,
  limits: { readonly maxBytes: number; readonly keep: number },
): Promise<RotatingFile> {
  try {
    return await RotatingFile.open(path, limits);
  } catch (cause) {
    throw new Error(
      `Cannot open the access log at ${path}. Check access_log.to: the folder must exist and be writable.`,
      { cause },
    );
  }
}

function writeToStandardOutput(lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines, (cause) => {
      if (cause instanceof Error) reject(cause);
      else resolve();
    });
  });
}
