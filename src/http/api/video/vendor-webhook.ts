import { z } from "zod";
import { jsonAnswer } from "#http/answer.ts";
import type { VideoDeps } from "#http/deps/videos.ts";
import { json } from "#http/json.ts";
import type { Endpoint } from "#http/routes.ts";

const MAX_BYTES = 1024 * 1024;

/** Path prefix of the webhook URLs that vendors get. */
export const NOTICES_PATH = "/callbacks";

/** Open to everyone: a webhook only makes the gateway poll the vendor sooner. */
export const vendorWebhook: Endpoint<Pick<VideoDeps, "tasks">> = {
  operationId: "receiveVendorWebhook",
  tag: "Callbacks",
  answer: jsonAnswer(z.object({ code: z.literal(0), message: z.string() })),
  method: "POST",
  path: `${NOTICES_PATH}/:channel/:task`,
  access: "vendor",
  summary: "Webhook of vendors about a task. It only causes an earlier poll.",
  renderError: ({ fault, message }) => ({ code: fault.status, message }),

  async handle(exchange, { tasks }) {
    const body = await exchange.readBytes(MAX_BYTES);
    await tasks.handleVendorWebhook({
      channel: exchange.param("channel"),
      taskId: exchange.param("task"),
      body,
      header: (name) => exchange.request.headers.get(name) ?? "",
    });
    return json({ code: 0, message: "success" }, exchange.id);
  },
};
