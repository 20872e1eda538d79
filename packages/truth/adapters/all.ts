import type { Adapter } from "../gateway/adapter.ts";
import { BIFROST } from "./bifrost.ts";
import { LITELLM } from "./litellm.ts";
import { NEW_API, ONE_API } from "./one-api.ts";
import { SLUICE } from "./sluice.ts";
import { adapter as TEMPLATE } from "./template.ts";

export const ADAPTERS: Readonly<Record<string, Adapter>> = Object.fromEntries(
  [SLUICE, LITELLM, NEW_API, ONE_API, BIFROST, TEMPLATE].map((each) => [each.id, each]),
);
