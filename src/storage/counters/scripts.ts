import { createHash } from "node:crypto";
import { BURST_MS, GRAIN_MS, MAX_AHEAD_MS } from "#core/pace.ts";

/** A script that the server runs atomically. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export interface Scripts {
  /**
   * Keys: hash and slots of each bound. Arguments: reservation, lease in ms (0
   * takes nothing), then for each bound its requests and tokens per minute and its slots, -1
   * for unlimited, and the tokens to take.
   */
  readonly take: Script;
  /** Keys: hash of each bound. Arguments for each: tokens per minute and tokens owed. */
  readonly correct: Script;
  /** Keys: slots. Argument: the reservation. */
  readonly release: Script;
  /** Keys: slots. Arguments: lease in ms, then for each key the reservation that holds a slot. */
  readonly renew: Script;
}

/** The server's clock, so that gateways with different clocks agree. */
export const SERVER_CLOCK = 'redis.call("TIME")';

/** Unix seconds of 2026: small numbers keep their fractions. */
const EPOCH = 1_767_225_600;

/**
 * The algorithm of `core/pace.ts` on counters that several gateways share. A
 * hash stores two moments in ms, `r` for requests and `t` for tokens. A sorted
 * set stores the calls with a slot by the end of their lease, so that the slots
 * of a dead gateway expire. `clock` returns seconds and microseconds, like the
 * command TIME.
 */
export function scriptsOn(clock: string = SERVER_CLOCK): Scripts {
  const common = `${nowOn(clock)}
local function levels(key)
  local at = redis.call("HMGET", key, "r", "t")
  return math.max(0, tonumber(at[1] or now) - now), math.max(0, tonumber(at[2] or now) - now)
end
local function ahead(before, amount, perMinute)
  if perMinute < 0 then return 0 end
  return math.min(math.max(0, before + amount * ${BURST_MS} / perMinute), ${MAX_AHEAD_MS})
end
local function put(key, r, t)
  redis.call("HSET", key, "r", string.format("%.17g", now + r), "t", string.format("%.17g", now + t))
  redis.call("PEXPIRE", key, math.ceil(math.max(r, t)) + 1000)
end
local function place(key, id, lease)
  redis.call("ZADD", key, string.format("%.17g", now + lease), id)
  redis.call("PEXPIRE", key, lease)
end
`;
  const limit = BURST_MS + GRAIN_MS;
  return {
    take: script(`${common}
local id, lease = ARGV[1], tonumber(ARGV[2])
local reply, writes, admitted = {}, {}, lease > 0
for i = 1, #KEYS, 2 do
  local at = 3 + (i - 1) * 2
  local rpm, tpm = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local places, tokens = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local r, t = levels(KEYS[i])
  local running = 0
  if places >= 0 then
    redis.call("ZREMRANGEBYSCORE", KEYS[i + 1], "-inf", string.format("%.17g", now))
    running = redis.call("ZCARD", KEYS[i + 1])
    if running >= places then admitted = false end
  end
  local nextR, nextT = ahead(r, 1, rpm), ahead(t, tokens, tpm)
  if nextR > ${limit} or nextT > ${limit} or (tpm >= 0 and tokens > tpm) then admitted = false end
  reply[#reply + 1] = string.format("%.17g", r)
  reply[#reply + 1] = string.format("%.17g", t)
  reply[#reply + 1] = tostring(running)
  writes[i] = { nextR, nextT, places }
end
if admitted then
  for i = 1, #KEYS, 2 do
    local r, t, places = unpack(writes[i])
    if r > 0 or t > 0 then put(KEYS[i], r, t) end
    if places >= 0 then place(KEYS[i + 1], id, lease) end
  end
end
return reply`),
    correct: script(`${common}
for i = 1, #KEYS do
  local tpm, owed = tonumber(ARGV[i * 2 - 1]), tonumber(ARGV[i * 2])
  local r, t = levels(KEYS[i])
  put(KEYS[i], r, ahead(t, owed, tpm))
end`),
    release: script(`
for i = 1, #KEYS do redis.call("ZREM", KEYS[i], ARGV[1]) end`),
    renew: script(`${common}
for i = 1, #KEYS do place(KEYS[i], ARGV[i + 1], tonumber(ARGV[1])) end`),
  };
}

/** Defines `now` in ms. */
export function nowOn(clock: string): string {
  return `
local time = ${clock}
local now = (tonumber(time[1]) - ${EPOCH}) * 1000 + tonumber(time[2]) / 1000
`;
}

export function script(text: string): Script {
  return { text, sha1: createHash("sha1").update(text).digest("hex") };
}
