/** Settings of all tasks and their webhooks, which can change while tasks run. */
export interface TaskSettings {
  readonly queuedMs: number;
  readonly runningMs: number;
  /** How long links to results are good for, where not for as long as the vendor's. */
  readonly linkSeconds: number | undefined;
  /** How many tasks of one key may be under way at once; any number when absent. */
  readonly parallel: number | undefined;
  /** Whether a task's callbacks come as things happen, or afterwards with the last one first. */
  readonly callbackOrder: "straight" | "reversed";
  /** How often each callback is sent, even where it was received. */
  readonly callbackTimes: number;
  /** The wait before each further attempt, where not the vendor's. */
  readonly callbackRetryMs: number | undefined;
  /** What callbacks are signed with, by the vendors who give out a secret for it; two while one replaces the other. */
  readonly callbackSecrets: readonly string[];
  /** Whether limits of requests per second are kept, by the vendors who have them on their control planes. */
  readonly rateLimits: boolean;
  /** Whether control planes refuse with status 200. */
  readonly errorsAs200: boolean;
  /** Whether control planes omit the usual envelope of a result. */
  readonly bareResults: boolean;
}

const USUAL_TASK_SETTINGS: TaskSettings = {
  queuedMs: 300,
  runningMs: 1_000,
  linkSeconds: undefined,
  parallel: undefined,
  callbackOrder: "straight",
  callbackTimes: 1,
  callbackRetryMs: undefined,
  callbackSecrets: [],
  rateLimits: false,
  errorsAs200: false,
  bareResults: false,
};

/** Settings that change in place, so that every holder sees the change. */
export interface LiveTaskSettings extends TaskSettings {
  set(change: Partial<TaskSettings>): void;
  /** Restores the initial state. */
  reset(): void;
}

export function liveTaskSettings(first: Partial<TaskSettings>): LiveTaskSettings {
  const usual: TaskSettings = { ...USUAL_TASK_SETTINGS, ...first };
  const live: LiveTaskSettings = {
    ...usual,
    set: (change) => void Object.assign(live, change),
    reset: () => void Object.assign(live, usual),
  };
  return live;
}
