import type { CallLog } from "#core/call.ts";
import type { KeyDirectory } from "#core/key.ts";
import type { TaskStore } from "#core/task.ts";
import type { AdmitDeps } from "#relay/admit.ts";
import type { ContentStore } from "#relay/content-log/content-store.ts";
import type { ExplanationDeps } from "../api/explain.ts";

/** Dependencies of the endpoints that show one past call in detail. */
export interface PastCallDeps {
  readonly calls: CallLog;
  readonly tasks: Pick<TaskStore, "findAny">;
  readonly keyDirectory: KeyDirectory;
  /** The limits that apply now. */
  readonly limitsOf: Pick<AdmitDeps, "userLimits" | "router" | "ledger">;
  /** Of explanations of past calls. */
  readonly explaining: ExplanationDeps;
  readonly contents: Pick<ContentStore, "read">;
  /** Read on each use: they change while the gateway runs. */
  readonly contentSettings: {
    readonly contentLogOwners: "off" | "on";
    readonly contentLogDays: number;
  };
}
