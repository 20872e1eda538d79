import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

import { freePort, startTarget, type Missing, type Site, type Target } from "./target.ts";

const PACKAGE = "@portkey-ai/gateway";
const VERSION = "1.15.2";
/**
 * Its server library is held at what its own lockfile names: with versions after
 * 1.14.2 every stream fails (https://github.com/Portkey-AI/gateway/issues/1389).
 */
const MANIFEST = {
  private: true,
  dependencies: { [PACKAGE]: VERSION },
  overrides: { "@hono/node-server": "1.13.5", hono: "4.9.7" },
};
const INSTALL_TIMEOUT_MS = 180_000;

/** A peer: a gateway in TypeScript on Node, which keeps neither keys nor a ledger by itself. */
export async function openPortkey(site: Site): Promise<Target | Missing> {
  const node = Bun.which("node");
  if (node === null) return { missing: "Portkey is left out: node is not on the PATH." };
  const cache = `${site.root}/.cache/bench/portkey`;
  const failure = await install(cache);
  if (failure !== undefined) return { missing: failure };

  const port = freePort();
  const script = `${cache}/node_modules/${PACKAGE}/build/start-server.js`;
  return startTarget(
    {
      id: "portkey",
      title: `Portkey ${VERSION}`,
      port,
      headers: {
        authorization: "Bearer sk-upstream-bench",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": `http://127.0.0.1:${site.upstreamPort}/v1`,
      },
    },
    {
      folder: site.folder,
      command: [node, `--import=${LOOPBACK_ONLY}`, script, "--headless", `--port=${port}`],
      // It refuses private hosts unless they are named here.
      env: { NODE_ENV: "production", TRUSTED_CUSTOM_HOSTS: "127.0.0.1" },
    },
    { path: "/", ok: true },
  );
}

/** It listens on every address and has no setting for that; a bench must not open a proxy to others. */
const LOOPBACK_ONLY = `data:text/javascript,${encodeURIComponent(`
import { Server } from "node:net";
const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return typeof port === "number"
    ? listen.call(this, port, "127.0.0.1", rest.findLast((each) => typeof each === "function"))
    : listen.call(this, port, ...rest);
};
`)}`;

/** Installs the peer apart from the checkout's own dependencies, once; tells why when it cannot. */
async function install(folder: string): Promise<string | undefined> {
  const wanted = `${JSON.stringify(MANIFEST, undefined, 2)}\n`;
  // npm writes the hidden lockfile last, so that it stands for a finished install.
  const isComplete = existsSync(`${folder}/node_modules/.package-lock.json`);
  const manifest = `${folder}/package.json`;
  if (isComplete && existsSync(manifest) && readFileSync(manifest, "utf8") === wanted) return;

  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(manifest, wanted);
  if (Bun.which("npm") === null) return "Portkey is left out: npm is not on the PATH.";
  const child = Bun.spawn(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: INSTALL_TIMEOUT_MS,
  });
  const words = await new Response(child.stderr).text();
  if ((await child.exited) === 0) return;
  return `Portkey is left out: npm could not install it. ${words.trim().slice(-300)}`;
}
