import { callbackSender } from "#sandbox/engine/callbacks.ts";
import { liveTaskSettings } from "#sandbox/engine/task-settings.ts";
import type { Vendor, VendorFactory, VendorRequest } from "#sandbox/vendor.ts";
import type { Reply } from "#sandbox/wire/reply.ts";

/** A vendor without a server around it, whose callbacks go nowhere. */
export function openVendor(create: VendorFactory, now: () => number = Date.now): Vendor {
  const tasks = liveTaskSettings({});
  const callbacks = callbackSender(now, tasks);
  callbacks[Symbol.dispose]();
  return create({ now, tasks, callbacks });
}

/** What a vendor answers at once: everything but files. */
export function replyTo(vendor: Vendor, request: VendorRequest): Reply {
  const reply = vendor.reply(request);
  if (reply instanceof Promise) throw new TypeError(`${request.path} is answered later.`);
  return reply;
}
