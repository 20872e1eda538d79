import { freePort, startTarget, type Site, type Target } from "./target.ts";

/** What the runtime costs before a gateway does anything. */
export async function openBare(site: Site): Promise<Target> {
  const port = freePort();
  const script = `${site.root}/bench/bare.ts`;
  return startTarget(
    { id: "bare", title: `bare Bun ${Bun.version}`, port, headers: {} },
    {
      folder: site.folder,
      command: [process.execPath, script, String(site.upstreamPort), String(port)],
      env: { BUN_CONFIG_MAX_HTTP_REQUESTS: "10000" },
    },
    { path: "/", ok: false },
  );
}
