import type { InboundFormat, OperationRequest, OperationResult } from "#core/operation.ts";

/**
 * A format as clients of `/v2` know it: they take no answer without an id, and
 * look for what went wrong at the top.
 */
export function secondVersion<Q extends OperationRequest, A extends OperationResult>(
  { inbound, ...format }: InboundFormat<Q, A>,
  id = "",
): InboundFormat<Q, A> {
  return {
    ...format,
    inbound: {
      ...inbound,
      write: (answer, question) => ({ id, ...inbound.write(answer, question) }),
      buildError: (error) => ({ message: error.message, ...inbound.buildError(error) }),
    },
  };
}
