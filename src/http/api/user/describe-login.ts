import { z } from "zod";
import type { RegistrationDeps } from "#http/deps/joining.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { REGISTRATION, showRegistration } from "./register.ts";

export const describeLogin = management({
  operationId: "describeLogin",
  tag: "Login",
  method: "GET",
  path: "/api/user/login",
  access: "public",
  summary: "The ways to log in, to register and to set a forgotten password.",
  data: z.object({
    single_sign_on: z.string().nullable().describe("Label of its button; null without it."),
    registration: REGISTRATION,
    mail: z.boolean().describe("Whether a forgotten password can be set by a mailed link."),
  }),

  handle({ id }, deps: Pick<RegistrationDeps, "accountMailer" | "registration" | "singleSignOn">) {
    return succeed(id, "", {
      single_sign_on: deps.singleSignOn?.name ?? null,
      registration: showRegistration(deps),
      mail: deps.accountMailer !== undefined,
    });
  },
});
