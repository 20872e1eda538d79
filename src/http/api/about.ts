import { z } from "zod";
import { isAtLeast } from "#core/user.ts";
import type { StatusDeps } from "#http/deps/status.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "./envelope.ts";
import { management } from "./management.ts";
import { seconds } from "./seconds.ts";

/** For the page About of the console. */
export const getAbout = management({
  operationId: "getAbout",
  tag: "Gateway",
  method: "GET",
  path: "/api/about",
  access: "user",
  scope: "account:read",
  summary: "Version of the gateway and, for auditors, the system that it runs on.",
  data: z.object({
    version: z.string(),
    system: z
      .object({
        database: z.enum(["sqlite", "postgresql"]),
        runtime: z.string(),
        platform: z.string(),
        started_at: z.int().describe("Start of the gateway that answers."),
      })
      .nullable()
      .describe("Null for users who are not auditors."),
  }),

  handle(exchange, { version, system }: Pick<StatusDeps, "version" | "system">) {
    const { database, runtime, platform, startedAt } = system;
    return succeed(exchange.id, "", {
      version,
      system: isAtLeast(requireUser(exchange).role, "auditor")
        ? { database, runtime, platform, started_at: seconds(startedAt) }
        : null,
    });
  },
});
