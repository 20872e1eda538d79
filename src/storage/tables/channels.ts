import type { Generated } from "kysely";
import type { Reach } from "#core/channel.ts";

/** Channels that were not written into the file; `credentials`, `models` and `options` are JSON. */
export interface ChannelsTable {
  id: Generated<number>;
  name: string;
  provider: string;
  base_url: string | null;
  reach: Reach;
  /** A list, each sealed. */
  credentials: string;
  /** Pairs of a name and the upstream's name for it; null to ask the upstream. */
  models: string | null;
  style: string | null;
  options: string | null;
  priority: number;
  /** In thousandths. */
  weight: number;
  max_concurrent: number | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  /** 1 enabled, 2 disabled. */
  status: number;
  created_at: number;
  updated_at: number;
}
