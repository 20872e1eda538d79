import { existsSync, mkdirSync, writeFileSync } from "node:fs";

import {
  freePort,
  startTarget,
  type Missing,
  type Site,
  type Target,
  type Variant,
} from "./target.ts";

const MISSING =
  "nginx is not installed, so its column and the ratios to it are left out. " +
  "Install it with `apt-get install nginx-light`, `apk add nginx` or `dnf install nginx`.";

const DEFAULT_CALLS_AT_ONCE = 2048;

/** The yardstick: a C proxy with one worker, which forwards bytes and understands none. */
export async function openNginx(
  site: Site,
  { callsAtOnce = DEFAULT_CALLS_AT_ONCE }: Variant,
): Promise<Target | Missing> {
  const binary = Bun.which("nginx") ?? ["/usr/sbin/nginx"].find((path) => existsSync(path));
  if (binary === undefined) return { missing: MISSING };

  const version = Bun.spawnSync([binary, "-v"]).stderr.toString().split("/")[1]?.trim() ?? "";
  const folder = `${site.folder}/nginx`;
  const port = freePort();
  mkdirSync(folder);
  writeFileSync(`${folder}/nginx.conf`, config(folder, port, site.upstreamPort, callsAtOnce));

  return startTarget(
    { id: "nginx", title: `nginx ${version}`, port, headers: {} },
    { folder, command: [binary, "-p", folder, "-c", `${folder}/nginx.conf`, "-e", "stderr"] },
    { path: "/livez", ok: true },
  );
}

/** All its files are in `folder`, so that it runs without root and leaves nothing behind. */
function config(folder: string, port: number, upstreamPort: number, callsAtOnce: number): string {
  // A call holds two of them.
  const connections = 4 * callsAtOnce;
  const caches = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
daemon off;
pid ${folder}/nginx.pid;
error_log stderr crit;
worker_processes 1;
worker_rlimit_nofile ${connections};
events { worker_connections ${connections}; multi_accept on; }
http {
  access_log off;
  ${caches.map((cache) => `${cache}_temp_path ${folder}/${cache};`).join("\n  ")}
  keepalive_requests 100000000;
  upstream model {
    server 127.0.0.1:${upstreamPort};
    keepalive ${callsAtOnce};
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /livez { return 200 "ok"; }
    location / {
      proxy_pass http://model;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}
