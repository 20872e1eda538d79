import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { resumeSession } from "../../api/session.ts";

interface LoggedIn {
  readonly set_up?: "second_factor" | undefined;
}

const SECOND_FACTOR_PATH = "/account/second-factor";

/** Opens a page after a login; first the set-up of a second factor, if the gateway requires it. */
export function useEntered(): (user: LoggedIn) => Promise<void> {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return async ({ set_up }) => {
    await client.resetQueries();
    resumeSession();
    navigate(set_up === undefined ? "/" : SECOND_FACTOR_PATH, { replace: true });
  };
}
