import { freePort, startTarget, type Site, type Target } from "./target.ts";

/** What the runtime costs before a gateway does anything: it passes on what it need not look at. */
export function openBare(site: Site): Promise<Target> {
  return openScript("bare", `bare Bun ${Bun.version}`, site);
}

/** The same where a script sees every byte. */
export function openSeeing(site: Site): Promise<Target> {
  return openScript("seeing", `Bun ${Bun.version}, seeing`, site);
}

async function openScript(
  id: "bare" | "seeing",
  title: string,
  { root, folder, upstreamPort }: Site,
): Promise<Target> {
  const port = freePort();
  return startTarget(
    { id, title, port, headers: {} },
    {
      folder,
      command: [process.execPath, `${root}/bench/${id}.ts`, String(upstreamPort), String(port)],
      env: { BUN_CONFIG_MAX_HTTP_REQUESTS: "10000" },
    },
    { path: "/", ok: false },
  );
}
