/** How often something may be done: so many times in so many milliseconds. */
export type Rate = readonly [times: number, withinMs: number];

/** Counts accepted requests by name, and decides whether one more is allowed. */
export function rateLimits(now: () => number) {
  const passed = new Map<string, readonly number[]>();

  return function take(name: string, [times, withinMs]: Rate): boolean {
    const recent = (passed.get(name) ?? []).filter((at) => at > now() - withinMs);
    const hasRoom = recent.length < times;
    passed.delete(name);
    passed.set(name, hasRoom ? [...recent, now()] : recent);
    const [oldest] = passed.keys();
    if (passed.size > MAX_NAMES && oldest !== undefined) passed.delete(oldest);
    return hasRoom;
  };
}

const MAX_NAMES = 1_000;
