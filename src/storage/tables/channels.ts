import type { Generated } from "kysely";
import type { Reach } from "#core/channel.ts";

/** Channels that are not in the file; `credentials`, `models` and `options` are JSON. */
export interface ChannelsTable {
  id: Generated<number>;
  name: string;
  provider: string;
  base_url: string | null;
  reach: Reach;
  /** A list of encrypted credentials. */
  credentials: string;
  /** Pairs of a name and the upstream's name for it; null if the upstream is asked. */
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
  model_prefix: string | null;
  /** Changes of requests, in JSON. */
  overrides: string | null;
  system_prompt: string | null;
  /** In JSON: ms by name. */
  timeout: string | null;
  /** Its address without a login. */
  proxy: string | null;
  /** Encrypted. */
  proxy_login: string | null;
  /** In JSON. */
  auto_disable: string | null;
  /** Decimal text. */
  low_balance: string | null;
  notes: string | null;
  /** A list of labels in JSON. */
  tags: Generated<string>;
  /** In thousandths. */
  price_factor: number | null;
  revision: Generated<number>;
  /** The latest changes in JSON, oldest first: revision, Unix ms, names of fields. */
  changes: Generated<string>;
  created_at: number;
  updated_at: number;
}
