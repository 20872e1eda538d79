/** What a call fails with. The promises of some clients are not the runtime's own, which `rejects` insists on. */
export async function failure(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (cause) {
    return cause;
  }
}
