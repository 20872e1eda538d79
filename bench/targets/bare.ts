import { freePort, onBun, startTarget, type Site, type Target, type Variant } from "./target.ts";

/** What the runtime costs before a gateway does anything: it passes on what it need not look at. */
export function openBare(site: Site, variant: Variant): Promise<Target> {
  return openScript("bare", `bare Bun ${Bun.version}`, site, variant);
}

/** The same where a script sees every byte. */
export function openSeeing(site: Site, variant: Variant): Promise<Target> {
  return openScript("seeing", `Bun ${Bun.version}, seeing`, site, variant);
}

async function openScript(
  id: "bare" | "seeing",
  title: string,
  { root, folder, upstreamPort }: Site,
  variant: Variant,
): Promise<Target> {
  const port = freePort();
  const { command, env } = onBun(
    [`${root}/bench/${id}.ts`, String(upstreamPort), String(port)],
    variant,
  );
  return startTarget(
    { id, title, port, headers: {} },
    { folder, command, env: { ...env, BUN_CONFIG_MAX_HTTP_REQUESTS: "20000" } },
    { path: "/", ok: false },
  );
}
