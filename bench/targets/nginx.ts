import { existsSync, mkdirSync, writeFileSync } from "node:fs";

import { freePort, startTarget, type Missing, type Site, type Target } from "./target.ts";

const MISSING =
  "nginx is not installed, so its column and the ratios to it are left out. " +
  "Install it with `apt-get install nginx-light`, `apk add nginx` or `dnf install nginx`.";

/** The yardstick: a C proxy with one worker, which forwards bytes and understands none. */
export async function openNginx(site: Site): Promise<Target | Missing> {
  const binary = Bun.which("nginx") ?? ["/usr/sbin/nginx"].find((path) => existsSync(path));
  if (binary === undefined) return { missing: MISSING };

  const version = Bun.spawnSync([binary, "-v"]).stderr.toString().split("/")[1]?.trim() ?? "";
  const folder = `${site.folder}/nginx`;
  const port = freePort();
  mkdirSync(folder);
  writeFileSync(`${folder}/nginx.conf`, config(folder, port, site.upstreamPort));

  return startTarget(
    { id: "nginx", title: `nginx ${version}`, port, headers: {} },
    { folder, command: [binary, "-p", folder, "-c", `${folder}/nginx.conf`, "-e", "stderr"] },
    { path: "/", ok: false },
  );
}

/** All its files are in `folder`, so that it runs without root and leaves nothing behind. */
function config(folder: string, port: number, upstreamPort: number): string {
  const caches = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
daemon off;
pid ${folder}/nginx.pid;
error_log stderr crit;
worker_processes 1;
worker_rlimit_nofile 8192;
events { worker_connections 8192; multi_accept on; }
http {
  access_log off;
  ${caches.map((cache) => `${cache}_temp_path ${folder}/${cache};`).join("\n  ")}
  keepalive_requests 100000000;
  upstream model {
    server 127.0.0.1:${upstreamPort};
    keepalive 2048;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
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
