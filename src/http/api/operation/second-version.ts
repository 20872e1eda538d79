import type { InboundFormat, OperationRequest, OperationResult } from "#core/operation.ts";

/**
 * Adapts a format to clients of `/v2`: they require an id in each response, and read errors at the
 * top level.
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
