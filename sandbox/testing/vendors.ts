import { callbackSender } from "#sandbox/engine/callbacks.ts";
import { liveTaskSettings } from "#sandbox/engine/task-settings.ts";
import type { Vendor, VendorFactory } from "#sandbox/vendor.ts";

/** A vendor without a server around it, whose callbacks go nowhere. */
export function openVendor(create: VendorFactory, now: () => number = Date.now): Vendor {
  const tasks = liveTaskSettings({});
  const callbacks = callbackSender(now, tasks);
  callbacks[Symbol.dispose]();
  return create({ now, tasks, callbacks });
}
