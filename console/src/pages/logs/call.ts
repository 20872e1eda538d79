import type { paths } from "../../../generated/api.d.ts";

/** A call as auditors see it. Members see fewer fields, which are undefined for them. */
type Full =
  paths["/api/log"]["get"]["responses"]["200"]["content"]["application/json"]["data"]["items"][number];
type Own =
  paths["/api/log/self"]["get"]["responses"]["200"]["content"]["application/json"]["data"]["items"][number];

export type Call = Own & Partial<Omit<Full, keyof Own>>;
export type CallInParts =
  paths["/api/log/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["data"];
export type Attempt = CallInParts["attempts"][number];
