import { callbackSender } from "../engine/callbacks.ts";
import { liveTaskSettings } from "../engine/task-settings.ts";
import type { Vendor, VendorFactory } from "../vendor.ts";

/** A vendor without a server around it, whose callbacks go nowhere. */
export function openVendor(create: VendorFactory, now: () => number = Date.now): Vendor {
  const tasks = liveTaskSettings({});
  const callbacks = callbackSender(now, tasks);
  callbacks[Symbol.dispose]();
  return create({ now, tasks, callbacks });
}
