import type { JsonObject } from "../json.ts";
import { openai } from "../openai.ts";
import type { Vendor, VendorOptions } from "../vendor.ts";
import { jsonReply } from "../wire/reply.ts";
import { checkCredential } from "./credential.ts";
import { ApiError } from "./error.ts";
import { only } from "./routing.ts";

interface VendorWithBalance {
  readonly id: string;
  /** Stands before `/v1` in its paths. */
  readonly prefix: string;
  readonly balance: { readonly path: string; readonly answer: JsonObject };
}

/** A vendor that speaks OpenAI's protocol, and also shows the balance of an account. */
export function withBalance(
  { id, prefix, balance }: VendorWithBalance,
  options: VendorOptions,
): Vendor {
  const protocol = openai(options);
  return {
    ...protocol,
    id,
    reply(request) {
      if (request.path !== balance.path) {
        const isBelow = request.path.startsWith(`${prefix}/`);
        const path = isBelow ? request.path.slice(prefix.length) : `/unknown${request.path}`;
        return protocol.reply({ ...request, path });
      }
      try {
        checkCredential(request.headers, options.apiKeys);
        return only("GET", request, () => jsonReply(200, balance.answer, {}));
      } catch (cause) {
        if (cause instanceof ApiError) return jsonReply(cause.status, cause.body, {});
        throw cause;
      }
    },
  };
}
