import {
  ADDRESS_BURST,
  ADDRESS_EVERY_MS,
  FIRST_WAIT_MS,
  FORGOTTEN_MS,
  FREE_TRIES,
  LONGEST_WAIT_MS,
} from "#core/login-limits.ts";
import { nowOn, script, SERVER_CLOCK, type Script } from "./scripts.ts";

export interface LoginScripts {
  /**
   * Keys: attempts of the account, and debt of the address. Returns the ms to
   * wait; counts the attempt if it is 0.
   */
  readonly enter: Script;
  /** The same keys. */
  readonly succeeded: Script;
}

/**
 * The algorithm of `core/login-limits.ts` on counters that several gateways
 * share. A hash stores the number of attempts and the time of the last one.
 * Another key stores the moment at which an address has compensated for its
 * failures.
 */
export function loginScriptsOn(clock: string = SERVER_CLOCK): LoginScripts {
  const common = `${nowOn(clock)}
local function owe(ms)
  if ms <= 0 then return redis.call("DEL", KEYS[2]) end
  redis.call("SET", KEYS[2], string.format("%.17g", now + ms), "PX", math.ceil(ms))
end
local owed = math.max(0, tonumber(redis.call("GET", KEYS[2]) or now) - now)
`;
  return {
    enter: script(`${common}
local held = redis.call("HMGET", KEYS[1], "tries", "at")
local tries, at = tonumber(held[1] or 0), tonumber(held[2] or now)
if now - at >= ${FORGOTTEN_MS} then tries = 0 end
local wait = owed - ${(ADDRESS_BURST - 1) * ADDRESS_EVERY_MS}
if tries >= ${FREE_TRIES} then
  local own = math.min(${FIRST_WAIT_MS} * 2 ^ (tries - ${FREE_TRIES}), ${LONGEST_WAIT_MS})
  wait = math.max(wait, own - (now - at))
end
if wait <= 0 then
  redis.call("HSET", KEYS[1], "tries", tries + 1, "at", string.format("%.17g", now))
  redis.call("PEXPIRE", KEYS[1], ${FORGOTTEN_MS})
  owe(owed + ${ADDRESS_EVERY_MS})
end
return string.format("%.17g", wait)`),
    succeeded: script(`${common}
redis.call("DEL", KEYS[1])
owe(owed - ${ADDRESS_EVERY_MS})`),
  };
}
