import type { Generated } from "kysely";

/** What a role may do is decided elsewhere; here it is only kept. */
export type Role = "root" | "admin" | "user" | "auditor";

export interface UsersTable {
  id: Generated<number>;
  name: string;
  role: Role;
  /** 1 enabled, 2 disabled. */
  status: number;
  created_at: number;
}
