import { CALLS_CHARGED } from "./calls.ts";
import type { Experiment } from "./experiment.ts";
import { FAULTS_SPARED, FAULTS_TOLD } from "./faults.ts";
import { STREAM_HANG_UPS, WHOLE_HANG_UPS } from "./hang-ups.ts";
import { KILL_AFTER_ANSWERS, KILLS_UNDER_LOAD } from "./kills.ts";
import { ONE_CALLER } from "./one-caller.ts";
import { STREAM_QUOTA, WHOLE_QUOTA } from "./quota.ts";
import { SHUTDOWN_AFTER_ANSWERS, STREAMS_AT_SHUTDOWN } from "./shutdown.ts";
import { SLOW_READERS } from "./slow-readers.ts";
import { UNCOUNTED_STREAM, UNCOUNTED_WHOLE } from "./uncounted.ts";

/** In the order in which they run; those that end the gateway come last. */
export const EXPERIMENTS: readonly Experiment[] = [
  CALLS_CHARGED,
  STREAM_HANG_UPS,
  WHOLE_HANG_UPS,
  WHOLE_QUOTA,
  STREAM_QUOTA,
  FAULTS_TOLD,
  FAULTS_SPARED,
  ONE_CALLER,
  UNCOUNTED_WHOLE,
  UNCOUNTED_STREAM,
  SLOW_READERS,
  KILLS_UNDER_LOAD,
  KILL_AFTER_ANSWERS,
  STREAMS_AT_SHUTDOWN,
  SHUTDOWN_AFTER_ANSWERS,
];
