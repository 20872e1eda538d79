import type { AdmitDeps } from "./admit.ts";
import type { AttemptDeps } from "./failover/attempt.ts";
import type { Router } from "./routing/route.ts";

/** Dependencies of the stages that every call has. */
export interface CallDeps {
  readonly admission: AdmitDeps;
  readonly router: Router;
  readonly attempts: AttemptDeps;
}
