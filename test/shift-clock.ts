/** Loaded before a gateway whose clock has to be ahead of the others. */
const aheadMs = Number(process.env["TEST_CLOCK_AHEAD_MS"] ?? 0);
const RealDate = Date;

const now = (): number => RealDate.now() + aheadMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[], newTarget: typeof Date): Date =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  get: (target, name, receiver): unknown =>
    name === "now" ? now : Reflect.get(target, name, receiver),
});
