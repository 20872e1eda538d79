import { z } from "zod";
import type { ReportDeps } from "#http/deps/reports.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { findUser } from "./find-user.ts";

/** For the question before a user is disabled or deleted. */
export const countUserCalls = management({
  operationId: "countUserCalls",
  tag: "Users",
  method: "GET",
  path: "/api/user/:id/open-calls",
  access: "auditor",
  scope: "users:read",
  summary: "Number of calls and video tasks of a user that run now, on all gateways.",
  data: z.object({ open_calls: z.int() }),

  async handle(exchange, { users, usage, clock }: Pick<ReportDeps, "users" | "usage" | "clock">) {
    const { id } = await findUser(exchange, users);
    // A call of this millisecond counts, too.
    const open = await usage.countOpen(`user:${id}`, clock.now() + 1);
    return succeed(exchange.id, "", { open_calls: open });
  },
});
