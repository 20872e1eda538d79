import { useState } from "react";
import { api } from "../../api/client.ts";

const LIFE_SECONDS = 3_600;
let held: { readonly secret: string; readonly until: number } | undefined;

/**
 * A key of this user for explanations, which the gateway gives to keys only. It is held in this
 * page's memory and expires after an hour.
 */
export function useRoutingKey(): {
  readonly key: string | undefined;
  readonly make: () => Promise<void>;
} {
  const [key, setKey] = useState(currentKey);
  return {
    key,
    async make() {
      const until = Math.floor(Date.now() / 1_000) + LIFE_SECONDS;
      const name = `routing ${new Date().toISOString().slice(0, 16)}`;
      const { data } = await api.POST("/api/token", { body: { name, expires_at: until } });
      if (data === undefined) return;
      held = { secret: data.data.key, until };
      setKey(held.secret);
    },
  };
}

function currentKey(): string | undefined {
  return held !== undefined && held.until > Date.now() / 1_000 ? held.secret : undefined;
}
