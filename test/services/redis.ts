import { findProgram, type ServiceProgram } from "./service.ts";

/** Valkey speaks the same protocol and takes the same arguments. */
export const REDIS: ServiceProgram = {
  name: "Redis",
  debianPackage: "redis-server",
  find: () => findProgram("redis-server", []) ?? findProgram("valkey-server", []),
  serve: (folder, port) => [
    "--bind",
    "127.0.0.1",
    "--port",
    String(port),
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "no",
  ],
  url: (port) => `redis://127.0.0.1:${port}`,
  async ping(url) {
    const client = new Bun.RedisClient(url, { connectionTimeout: 2_000, autoReconnect: false });
    try {
      await client.connect();
      await client.send("PING", []);
    } finally {
      client.close();
    }
  },
};
